"""Every broker answers, and all of them describe the same cluster."""

from __future__ import annotations

from pykafka_ops.analysis.counted import counted
from pykafka_ops.client.cluster import Cluster, Question, metadata_request
from pykafka_ops.client.config import Address, ClientConfig
from pykafka_ops.client.smoke.site import SmokeSite, StepError, more
from pykafka_ops.client.topics import all_topics
from pykafka_ops.errors import PkoError
from pykafka_ops.wire.messages.metadata import MetadataResponse


def metadata(site: SmokeSite) -> str:
    """Ask each broker, and each address that was given; StepError where one is missing."""
    cluster = site.cluster
    try:
        site.topics = all_topics(cluster, name="metadata")
    except PkoError as error:
        addresses = ",".join(str(a) for a in cluster.config.bootstrap)
        raise StepError(addresses, site.in_words(error)) from None
    site.nodes = dict(cluster.nodes)
    if not site.nodes:
        raise StepError(",".join(map(str, cluster.config.bootstrap)), "no broker is registered")
    answers = site.until(lambda: _agreeing(site), lambda: _disagreement(site))
    bad = [*_silent(site, answers), *_gone(site), *_deaf(site)]
    if site.wanted and len(site.nodes) != site.wanted:
        count = counted(list(site.nodes), "broker")
        bad.append(("cluster", f"{count} where {site.wording.brokers} says {site.wanted}"))
    if bad:
        where, reason = bad[0]
        raise StepError(where, f"{reason}{more(bad)}", partly=True)
    return f"{counted(list(site.nodes), 'broker')} of cluster {cluster.cluster_id}"


Answers = dict[int, MetadataResponse | PkoError]


def _answers(site: SmokeSite) -> Answers:
    ids = sorted(site.nodes)
    questions = [Question(b, metadata_request([], ()), MetadataResponse) for b in ids]
    return dict(
        zip(ids, site.cluster.call_each(questions, name="metadata", once=True), strict=True)
    )


def _views(answers: Answers) -> dict[int, tuple[str | None, frozenset[int]]]:
    """Cluster id and brokers as each broker that answers names them."""
    return {
        b: (answer.cluster_id, frozenset(n.node_id for n in answer.brokers))
        for b, answer in answers.items()
        if not isinstance(answer, PkoError)
    }


def _agreeing(site: SmokeSite) -> Answers | None:
    """The answers of all brokers, unless those that answer contradict each other."""
    answers = _answers(site)
    return answers if len(set(_views(answers).values())) <= 1 else None


def _disagreement(site: SmokeSite) -> StepError:
    views = _views(_answers(site))
    first, *others = sorted(views) or [-1]
    for other in others:
        if views[other] != views[first]:
            texts = [f"{b} knows brokers {sorted(views[b][1])} in cluster {views[b][0]}"
                    for b in (first, other)]  # fmt: skip
            return StepError(f"brokers {first} and {other}", "; ".join(texts), partly=True)
    return StepError("cluster", "the brokers did not agree in time", partly=True)


def _silent(site: SmokeSite, answers: Answers) -> list[tuple[str, str]]:
    """Brokers that are registered and do not answer; they are left out of what follows."""
    bad = []
    for broker, answer in answers.items():
        if isinstance(answer, PkoError):
            bad.append((site.broker(broker), site.in_words(answer)))
            del site.nodes[broker]
    return bad


def _deaf(site: SmokeSite) -> list[tuple[str, str]]:
    """Addresses that were given, are no broker's own, and do not answer."""
    config = site.cluster.config
    known = {node.address for node in site.cluster.nodes.values()}
    return [
        (str(address), trouble)
        for address in config.bootstrap
        if address not in known and (trouble := _trouble(site, address))
    ]


def _trouble(site: SmokeSite, address: Address) -> str:
    config = site.cluster.config
    alone = ClientConfig([address], config.properties)
    alone.silence, alone.request_timeout = config.silence, config.request_timeout
    alone.patience = 0
    cluster = Cluster(alone)
    try:
        cluster.metadata([])
    except PkoError as error:
        return site.in_words(error)
    finally:
        cluster.close()
    return ""


def _gone(site: SmokeSite) -> list[tuple[str, str]]:
    """Brokers that hold replicas and are not there."""
    held: dict[int, list[str]] = {}
    for topic in site.topics:
        for p in topic.partitions:
            for replica in p.replicas:
                if replica not in site.cluster.nodes:
                    held.setdefault(replica, []).append(f"{topic.name}-{p.number}")
    return [
        (f"broker {b}", f"is gone; it holds {counted(of, 'replica')}, one of {of[0]}")
        for b, of in sorted(held.items())
    ]
