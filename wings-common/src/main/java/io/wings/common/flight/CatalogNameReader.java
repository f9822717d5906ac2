package io.wings.common.flight;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import io.wings.common.cluster.CatalogName;
import io.wings.common.error.WingsException;
import java.io.IOException;

/** A catalog's name is a JSON string. */
final class CatalogNameReader extends StdDeserializer<CatalogName> {
  private static final long serialVersionUID = 1L;

  CatalogNameReader() {
    super(CatalogName.class);
  }

  @Override
  public CatalogName deserialize(JsonParser parser, DeserializationContext context)
      throws IOException {
    if (parser.currentToken() != JsonToken.VALUE_STRING) {
      return (CatalogName) context.handleUnexpectedToken(CatalogName.class, parser);
    }
    try {
      return new CatalogName(parser.getText());
    } catch (WingsException e) {
      throw JsonMappingException.from(parser, e.getMessage(), e);
    }
  }
}
