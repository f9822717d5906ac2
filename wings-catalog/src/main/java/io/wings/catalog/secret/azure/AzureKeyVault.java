package io.wings.catalog.secret.azure;

import com.azure.core.credential.TokenCredential;
import com.azure.core.exception.ClientAuthenticationException;
import com.azure.core.exception.HttpResponseException;
import com.azure.core.http.HttpClient;
import com.azure.core.http.jdk.httpclient.JdkHttpClientBuilder;
import com.azure.core.http.policy.FixedDelayOptions;
import com.azure.core.http.policy.HttpLogDetailLevel;
import com.azure.core.http.policy.HttpLogOptions;
import com.azure.core.http.policy.RetryOptions;
import com.azure.identity.ChainedTokenCredentialBuilder;
import com.azure.identity.EnvironmentCredentialBuilder;
import com.azure.identity.ManagedIdentityCredentialBuilder;
import com.azure.identity.WorkloadIdentityCredentialBuilder;
import com.azure.security.keyvault.secrets.SecretClientBuilder;
import io.wings.catalog.secret.OpenedOnce;
import io.wings.catalog.secret.Reading;
import io.wings.catalog.secret.SecretPointer.InAzure;
import io.wings.catalog.secret.SecretStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Azure Key Vault. The process's credentials are those of its environment, its workload identity or
 * its managed identity; never a person's that is signed in on the machine.
 */
public final class AzureKeyVault implements SecretStore<InAzure> {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);

  /** None: a wait that the vault asks for could be long, and whoever reads comes again. */
  private static final RetryOptions NO_RETRIES =
      new RetryOptions(new FixedDelayOptions(0, Duration.ofSeconds(1)));

  private static final String CLIENT_ID = "AZURE_CLIENT_ID";

  /** What a pod with a workload identity has. */
  private static final List<String> WORKLOAD =
      List.of(CLIENT_ID, "AZURE_TENANT_ID", "AZURE_FEDERATED_TOKEN_FILE");

  private static final int NOT_FOUND = 404;
  private static final int FORBIDDEN = 403;
  private static final int BAD_REQUEST = 400;

  /** Shared by the clients of all vaults. */
  record Connections(HttpClient http, TokenCredential credential) implements AutoCloseable {
    static Connections open(Function<String, @Nullable String> environment) {
      HttpClient http =
          new JdkHttpClientBuilder()
              .connectionTimeout(CONNECT_TIMEOUT)
              .writeTimeout(ANSWER_TIMEOUT)
              .responseTimeout(ANSWER_TIMEOUT)
              .readTimeout(ANSWER_TIMEOUT)
              .build();
      ChainedTokenCredentialBuilder chain = new ChainedTokenCredentialBuilder();
      chain.addLast(
          new EnvironmentCredentialBuilder().httpClient(http).retryOptions(NO_RETRIES).build());
      if (WORKLOAD.stream().allMatch(variable -> environment.apply(variable) != null)) {
        chain.addLast(
            new WorkloadIdentityCredentialBuilder()
                .httpClient(http)
                .retryOptions(NO_RETRIES)
                .build());
      }
      ManagedIdentityCredentialBuilder managed =
          new ManagedIdentityCredentialBuilder().httpClient(http).retryOptions(NO_RETRIES);
      String client = environment.apply(CLIENT_ID);
      chain.addLast((client == null ? managed : managed.clientId(client)).build());
      return new Connections(http, chain.build());
    }

    /** Neither has anything to close: their threads end once nothing refers to them. */
    @Override
    public void close() {}
  }

  private final OpenedOnce<Connections> connections;
  private final Consumer<SecretClientBuilder> reach;

  /**
   * @param environment the process's variables
   */
  public AzureKeyVault(Function<String, @Nullable String> environment) {
    this(() -> Connections.open(environment), _ -> {});
  }

  /**
   * @param reach says more of how to reach a vault
   */
  AzureKeyVault(OpenedOnce.Opening<Connections> opening, Consumer<SecretClientBuilder> reach) {
    this.connections = new OpenedOnce<>(opening);
    this.reach = reach;
  }

  @Override
  public Reading read(InAzure pointer) {
    try {
      Connections shared = connections.get();
      SecretClientBuilder builder =
          new SecretClientBuilder()
              .vaultUrl("https://" + pointer.host())
              .credential(shared.credential())
              .httpClient(shared.http())
              .httpLogOptions(new HttpLogOptions().setLogLevel(HttpLogDetailLevel.NONE))
              .retryOptions(NO_RETRIES);
      reach.accept(builder);
      String value =
          builder
              .buildClient()
              .getSecret(pointer.name(), pointer.version().orElse(null))
              .getValue();
      return value == null
          ? new Reading.Unreadable("it has no value; put one")
          : Reading.Found.of(value);
    } catch (ClientAuthenticationException e) {
      return new Reading.Unreachable(
          "this process has no Azure credentials of its own that the vault accepts (%s); give it a"
                  .formatted(e.getClass().getSimpleName())
              + " workload identity or a managed identity");
    } catch (HttpResponseException e) {
      return refused(e);
    } catch (IOException e) {
      return unreachable(e.getClass().getSimpleName());
    } catch (RuntimeException e) {
      // The SDK throws what it likes, an interruption too.
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof InterruptedException) {
          Thread.currentThread().interrupt();
        }
      }
      return unreachable(e.getClass().getSimpleName());
    }
  }

  private static Reading refused(HttpResponseException e) {
    int status = e.getResponse() == null ? 0 : e.getResponse().getStatusCode();
    return switch (status) {
      case NOT_FOUND, BAD_REQUEST ->
          new Reading.Unreadable(
              "there is no such secret or version in that vault (HTTP %d); create it, or correct"
                      .formatted(status)
                  + " the pointer");
      case FORBIDDEN ->
          new Reading.Unreadable(
              "access denied, or the secret is disabled (HTTP 403); give this process's identity"
                  + " the role Key Vault Secrets User on it");
      default -> unreachable(status == 0 ? e.getClass().getSimpleName() : "HTTP " + status);
    };
  }

  private static Reading unreachable(String why) {
    return new Reading.Unreachable("the vault doesn't answer (" + why + ")");
  }

  @Override
  public void close() {
    connections.close();
  }
}
