package io.wings.common.objectstore.s3;

import io.wings.common.objectstore.StoreOptions;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/** An HTTP server that answers as it is told, or doesn't, and notes what it was asked. */
final class ScriptedServer implements AutoCloseable {
  private final ServerSocket listener;
  private final Answer answer;
  private final ConcurrentLinkedQueue<Request> requests = new ConcurrentLinkedQueue<>();
  private final CountDownLatch asked = new CountDownLatch(1);
  private final ConcurrentLinkedQueue<Socket> open = new ConcurrentLinkedQueue<>();

  ScriptedServer(Answer answer) throws IOException {
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.answer = answer;
    Thread.ofVirtual().start(this::accept);
  }

  /** What the server does once it has read a request. */
  sealed interface Answer {
    /** Sends a status and, if the code isn't empty, an error document of S3. */
    record Status(int status, String code) implements Answer {}

    /** Sends 100 KB of a body that it said is longer, and goes silent. */
    record Stall() implements Answer {}

    /** Sends an object, whatever part of it was asked for. */
    record Whole(String body) implements Answer {}

    /** Never answers. */
    record Silence() implements Answer {}

    /** Resets the connection. */
    record Reset() implements Answer {}
  }

  record Request(String line, List<String> headers, int bodyBytes) {
    boolean has(String header) {
      return headers.stream().anyMatch(h -> h.toLowerCase(Locale.ROOT).startsWith(header));
    }
  }

  List<Request> requests() {
    return new ArrayList<>(requests);
  }

  void awaitFirstRequest() throws InterruptedException {
    asked.await();
  }

  StoreOptions options() {
    return StoreOptions.compatible(
        URI.create("http://127.0.0.1:" + listener.getLocalPort()),
        "us-east-1",
        new StoreOptions.Credentials("id", "secret"));
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        open.add(socket);
        Thread.ofVirtual().start(() -> serve(socket));
      } catch (IOException _) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      while (true) {
        List<String> head = readHead(in);
        if (head.isEmpty()) {
          return;
        }
        if (head.stream().anyMatch(h -> h.equalsIgnoreCase("expect: 100-continue"))) {
          send(socket, "HTTP/1.1 100 Continue\r\n\r\n");
        }
        int length = bodyLength(head);
        in.readNBytes(length);
        requests.add(new Request(head.getFirst(), head.subList(1, head.size()), length));
        asked.countDown();
        switch (answer) {
          case Answer.Status(int status, String code) -> send(socket, response(status, code));
          case Answer.Stall() ->
              send(
                  socket,
                  "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nETag: \"x\"\r\n\r\n"
                      + "x".repeat(100_000));
          case Answer.Whole(String body) ->
              send(
                  socket,
                  "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nETag: \"x\"\r\n\r\n%s"
                      .formatted(body.length(), body));
          case Answer.Silence() -> {
            return;
          }
          case Answer.Reset() -> {
            socket.setSoLinger(true, 0);
            socket.close();
            return;
          }
        }
      }
    } catch (IOException _) {
      // The client has gone.
    }
  }

  private static List<String> readHead(InputStream in) throws IOException {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c >= 0; c = in.read()) {
      if (c == '\n') {
        if (line.isEmpty()) {
          return lines;
        }
        lines.add(line.toString());
        line.setLength(0);
      } else if (c != '\r') {
        line.append((char) c);
      }
    }
    return List.of();
  }

  private static int bodyLength(List<String> head) {
    for (String header : head) {
      if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
        return Integer.parseInt(header.substring("content-length:".length()).strip());
      }
    }
    return 0;
  }

  private static String response(int status, String code) {
    String body =
        code.isEmpty()
            ? ""
            : "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>m</Message></Error>"
                .formatted(code);
    return "HTTP/1.1 %d X\r\nContent-Length: %d\r\nContent-Type: application/xml\r\n\r\n%s"
        .formatted(status, body.length(), body);
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().flush();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
