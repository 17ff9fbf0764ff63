"""What guards tell, and what they are told: the types of events and modes."""
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

#: "report" only tells; "repair" sends the safe rewrite; "reject" answers in the provider's place.
Mode = Literal["report", "repair", "reject"]


class _OfCall(TypedDict, total=False):
    call: int  #: the same for all events of one call
    url: str  #: where it went, without its query


class _About(_OfCall, total=False):
    provider: Optional[str]
    model: Optional[str]
    dialect: Optional[str]  #: the API: "openai-chat"
    stream: bool


class VerdictEvent(_About, total=False):
    """Before the call: what is thought of the request, and what is done with it."""

    type: Literal["verdict"]
    mode: Mode
    known: bool  #: False: no provider's address, or a body that cannot be read; it passes
    action: Literal["pass", "send", "refuse"]
    reason: str  #: why it was not judged, or not repaired
    verdict: Literal["ok", "rewrite", "reject"]
    findings: List[Dict[str, Any]]  #: as preflight has them
    changes: List[Dict[str, Any]]  #: of a repair, as JSON Patch
    tokens: Dict[str, Optional[int]]


class CostEvent(_About, total=False):
    """After the call, when its reply has been read or given up; with all that `cost` answers."""

    type: Literal["cost"]
    known: bool  #: False: it could not be told, and `reason` says why
    reason: str
    partial: bool  #: it was not read to its end
    usage: Dict[str, Any]
    total_cost: Optional[str]  #: in USD, exact
    items: List[Dict[str, Any]]


class LearntEvent(_About, total=False):
    """A provider has refused something that was not known; from now on it is."""

    type: Literal["learnt"]
    observations: List[Dict[str, Any]]
    rule: str  #: for a rule file of one's own


class FaultEvent(_OfCall, total=False):
    """Something went wrong in the guard; the call went on without it."""

    type: Literal["fault"]
    where: Literal["request", "verdict", "reply", "learn"]
    error: Exception


Event = Union[VerdictEvent, CostEvent, LearntEvent, FaultEvent]
