"""Questions over HTTPS: refusals, pages, and where the token goes."""

from __future__ import annotations

import pytest

from gpuinfra.preflight.gathering import RefusedError
from gpuinfra.preflight.https import Answer, RestApi, https

from .conftest import DENIED, FakeCloud

URL = "https://cloud.example/v1/things"


def refusal(answer: object) -> RefusedError:
    with pytest.raises(RefusedError) as e:
        FakeCloud({"things": answer}).api().get(URL, "things.read")
    return e.value


def test_a_denied_question_names_the_permission_and_nobody():
    said = refusal(DENIED)
    assert said.reason == "permission denied: things.read (PERMISSION_DENIED)"
    assert (said.missing, said.fatal) == (False, False)


def test_an_api_that_is_off_is_said_by_its_reason():
    error = {"error": {"status": "PERMISSION_DENIED", "details": [{"@type": "x"}, {"reason": "SERVICE_DISABLED"}]}}
    assert "SERVICE_DISABLED" in refusal((403, error)).reason


def test_what_is_not_there_is_missing():
    assert refusal((404, {"error": {"code": "ResourceNotFound"}})).missing


def test_bad_credentials_end_everything():
    assert refusal((401, {"error": {"status": "UNAUTHENTICATED"}})).fatal


@pytest.mark.parametrize("body", [b"<html>", b"", b"[1]", b'{"error": []}', b'{"error": {"details": 1}}', b"\xff"])
def test_any_body_of_a_refusal_is_read(body: bytes):
    assert "the cloud answers 418" in refusal((418, body)).reason


@pytest.mark.parametrize("body", [b"<html>", b"", b"[1]", b"null"])
def test_an_answer_that_is_no_object_is_refused(body: bytes):
    assert "the cloud's answer" in refusal((200, body)).reason


def test_a_busy_cloud_is_asked_again_and_not_for_ever():
    answers = [Answer(429, b"{}"), Answer(503, b"{}"), Answer(200, b'{"a": 1}')]
    waited: list[float] = []
    api = RestApi(lambda: "t", lambda url, headers: answers.pop(0), waited.append)
    assert api.get(URL, "p") == {"a": 1}
    assert waited == [1.0, 2.0]
    assert "too often" in refusal((429, {"error": {"code": 429}})).reason


def test_every_page_is_read_by_token():
    cloud = FakeCloud(
        {
            "pageToken=two": {"items": [3]},
            "things": {"items": [1, 2], "nextPageToken": "two"},
        }
    )
    assert [p["items"] for p in cloud.api().pages(URL, "p", filter="a b")] == [[1, 2], [3]]
    assert "filter=a+b" in cloud.asked[1]


def test_every_page_is_read_by_link():
    cloud = FakeCloud({"skip=1": {"value": [2]}, "things": {"value": [1], "nextLink": URL + "?skip=1"}})
    assert [p["value"] for p in cloud.api().pages(URL, "p")] == [[1], [2]]


@pytest.mark.parametrize("link", ["https://evil.example/v1", "http://cloud.example/v1", "https://cloud.example.evil/"])
def test_a_page_elsewhere_does_not_get_the_token(link: str):
    cloud = FakeCloud({"things": {"value": [1], "nextLink": link}})
    with pytest.raises(RefusedError, match="another host"):
        list(cloud.api().pages(URL, "p"))
    assert len(cloud.asked) == 1


def test_a_list_without_end_is_given_up():
    cloud = FakeCloud({"things": {"nextPageToken": "again"}})
    with pytest.raises(RefusedError, match="more than 200 pages"):
        list(cloud.api().pages(URL, "p"))


def test_only_https_is_asked():
    with pytest.raises(OSError, match="not https"):
        https("http://127.0.0.1:9/", {})
