"""What the casino's side may ask of a table, where that is switched on: a resend, nothing else."""

from pydantic import BaseModel, ConfigDict, Field, ValidationError


class RequestError(ValueError):
    """Bytes that are no request. The message is safe to log: it repeats none of them."""


class ResendRequest(BaseModel):
    """Send every event from ``from_sequence`` on once more, in order, the same bytes."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    from_sequence: int = Field(ge=1, lt=10**12)


def parse_resend(payload: bytes) -> ResendRequest:
    """Return the request in ``payload``. Raises :class:`RequestError` for anything else."""
    try:
        return ResendRequest.model_validate_json(payload)
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False, include_context=False)[0]
        where = "".join(f"{part}: " for part in fault["loc"])[:60]
        raise RequestError(
            f"{len(payload)} bytes are no resend request ({where}{fault['msg'][:200]}): "
            'write {"from_sequence": 1}'
        ) from error
