package io.wings.common.wal;

import java.util.ArrayList;
import java.util.List;

/** A lane's state and rules as they stand in a footer. */
final class CheckpointCodec {
  private CheckpointCodec() {}

  static FooterProto.Checkpoint encode(Checkpoint checkpoint) {
    FooterProto.Checkpoint.Builder proto =
        FooterProto.Checkpoint.newBuilder()
            .setHead(checkpoint.head())
            .setRules(rules(checkpoint.rules()));
    for (Checkpoint.Space space : checkpoint.spaces()) {
      FooterProto.Space.Builder builder =
          FooterProto.Space.newBuilder()
              .setPrincipal(space.principal())
              .setHorizon(space.horizon());
      for (ProducerState producer : space.producers()) {
        builder.addProducers(producer(producer));
      }
      proto.addSpaces(builder);
    }
    return proto.build();
  }

  private static FooterProto.ProducerState producer(ProducerState state) {
    FooterProto.ProducerState.Builder proto =
        FooterProto.ProducerState.newBuilder()
            .setName(state.producer().name())
            .setEpoch(state.epoch())
            .setLastSequence(state.lastSequence())
            .setLastSeen(state.lastSeen())
            .setFloor(state.floor());
    if (!state.producer().named()) {
      proto.setPrincipal(state.producer().principal());
    }
    String token = state.token();
    if (token != null) {
      proto.setToken(token);
    }
    for (SequenceRange range : state.rejected()) {
      proto.addRejected(
          FooterProto.Range.newBuilder().setFirst(range.first()).setLast(range.last()));
    }
    return proto.build();
  }

  static Checkpoint decode(FooterProto.Checkpoint proto) {
    List<Checkpoint.Space> spaces = new ArrayList<>(proto.getSpacesCount());
    for (FooterProto.Space space : proto.getSpacesList()) {
      List<ProducerState> producers = new ArrayList<>(space.getProducersCount());
      for (FooterProto.ProducerState producer : space.getProducersList()) {
        producers.add(producer(space.getPrincipal(), producer));
      }
      spaces.add(new Checkpoint.Space(space.getPrincipal(), space.getHorizon(), producers));
    }
    return new Checkpoint(proto.getHead(), rules(proto.getRules()), spaces);
  }

  private static ProducerState producer(String space, FooterProto.ProducerState proto) {
    ProducerKey key =
        space.isEmpty()
            ? ProducerKey.unnamed(proto.getPrincipal(), proto.getName())
            : ProducerKey.named(space, proto.getName());
    List<SequenceRange> rejected = new ArrayList<>(proto.getRejectedCount());
    for (FooterProto.Range range : proto.getRejectedList()) {
      rejected.add(new SequenceRange(range.getFirst(), range.getLast()));
    }
    return new ProducerState(
        key,
        proto.getEpoch(),
        proto.getLastSequence(),
        proto.hasToken() ? proto.getToken() : null,
        proto.getLastSeen(),
        proto.getFloor(),
        rejected);
  }

  static FooterProto.Rules rules(LaneRules rules) {
    return FooterProto.Rules.newBuilder()
        .setProducersPerSpace(rules.producersPerSpace())
        .setRejectedRanges(rules.rejectedRanges())
        .setMaxTokenBytes(rules.maxTokenBytes())
        .setPrincipals(rules.principals())
        .setMaxStateBytes(rules.maxStateBytes())
        .build();
  }

  static LaneRules rules(FooterProto.Rules proto) {
    return new LaneRules(
        proto.getProducersPerSpace(),
        proto.getRejectedRanges(),
        proto.getMaxTokenBytes(),
        proto.getPrincipals(),
        proto.getMaxStateBytes());
  }
}
