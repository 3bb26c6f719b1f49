"""Questions to a cloud's REST API: plain HTTPS, read only, with a time limit, page by page."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from ..spec.quantities import printable
from .gathering import RefusedError

TIMEOUT_S = 20.0
_MOST_BYTES = 64 * 2**20
_MOST_PAGES = 200
_AGAIN = (429, 500, 502, 503, 504)
_TRIES = 3


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    body: bytes


Transport = Callable[[str, Mapping[str, str]], Answer]
"""Asks one URL with headers. Raises OSError (TimeoutError among them) where nothing comes back."""


class _StayHere(urllib.request.HTTPRedirectHandler):
    # A redirection would carry the token to another host.
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def https(url: str, headers: Mapping[str, str]) -> Answer:
    """One GET over HTTPS."""
    if not url.startswith("https://"):
        raise OSError(f"{printable(url, 80)} is not https")
    opener = urllib.request.build_opener(_StayHere())
    request = urllib.request.Request(url, headers=dict(headers))
    try:
        with opener.open(request, timeout=TIMEOUT_S) as response:
            return Answer(response.status, response.read(_MOST_BYTES))
    except urllib.error.HTTPError as e:
        return Answer(e.code, e.read(_MOST_BYTES))
    except urllib.error.URLError as e:
        if isinstance(e.reason, TimeoutError):
            raise e.reason from None
        raise OSError(str(e.reason)) from None


@dataclass
class RestApi:
    """A cloud's REST API, asked with one token."""

    token: Callable[[], str]
    transport: Transport = https
    wait: Callable[[float], None] = time.sleep
    headers: Callable[[str], Mapping[str, str]] = lambda url: {}
    """Headers beside the token, by URL."""

    def get(self, url: str, permission: str, **query: str) -> dict[str, Any]:
        """The JSON object at a URL. `permission` is what the question needs, for the reason of a refusal.

        Raises RefusedError; OSError where nothing comes back.
        """
        full = f"{url}{'&' if '?' in url else '?'}{urllib.parse.urlencode(query)}" if query else url
        headers = {"Authorization": f"Bearer {self.token()}", "Accept": "application/json", **self.headers(full)}
        answer = self.transport(full, headers)
        for pause in range(1, _TRIES):
            if answer.status not in _AGAIN:
                break
            self.wait(float(pause))
            answer = self.transport(full, headers)
        if answer.status != 200:
            raise _refused(answer, permission)
        try:
            data: Any = json.loads(answer.body)
        except ValueError:
            raise RefusedError("the cloud's answer is not JSON") from None
        if not isinstance(data, dict):
            raise RefusedError("the cloud's answer has another form than expected")
        return cast("dict[str, Any]", data)

    def pages(self, url: str, permission: str, **query: str) -> Iterator[dict[str, Any]]:
        """Every page of a list: by nextPageToken, or by the link to the next one."""
        host = urllib.parse.urlsplit(url).netloc
        page = self.get(url, permission, **query)
        for _ in range(_MOST_PAGES):
            yield page
            token, link = page.get("nextPageToken"), page.get("nextLink")
            if isinstance(token, str) and token:
                page = self.get(url, permission, **{**query, "pageToken": token})
            elif isinstance(link, str) and link:
                if urllib.parse.urlsplit(link)[:2] != ("https", host):
                    raise RefusedError("the next page is said to be on another host, and the token is not sent there")
                page = self.get(link, permission)
            else:
                return
        raise RefusedError(f"the list has more than {_MOST_PAGES} pages")


def _refused(answer: Answer, permission: str) -> RefusedError:
    word = _error_word(answer.body)
    if answer.status == 404:
        return RefusedError(f"not found ({word or answer.status})", missing=True)
    if answer.status == 401:
        return RefusedError(f"the credentials are refused ({word or 401}): sign in again", fatal=True)
    if answer.status == 403:
        return RefusedError(f"permission denied: {permission}" + (f" ({word})" if word else ""))
    if answer.status == 429:
        return RefusedError(f"the cloud is asked too often ({word or 429})")
    return RefusedError(f"the cloud answers {answer.status}" + (f" ({word})" if word else ""))


def _error_word(body: bytes) -> str:
    """The error's own code: a word of the API, never its message, which may quote what was asked."""
    try:
        error: Any = json.loads(body).get("error", {})
        details: list[Any] = list(error.get("details", ()))
        word: Any = next((d["reason"] for d in details if d.get("reason")), None)
        word = word or error.get("status") or error.get("code") or ""
    except (ValueError, AttributeError, TypeError, KeyError):
        return ""
    return printable(str(word), 60)
