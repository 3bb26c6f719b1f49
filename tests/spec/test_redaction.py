"""Secrets in the wrong place: named, and shown by no message, hint, path, excerpt or pydantic error."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from gpuinfra.cli.findings import as_text
from gpuinfra.diagnostics import Code, Severity
from gpuinfra.spec.models import Network
from tests.spec.specs import HEAD, read

BEGIN, END = "-----BEGIN OPENSSH PRIVATE KEY-----", "-----END OPENSSH PRIVATE KEY-----"
KEY = f"{BEGIN}\n      b3BlbnNzaC1rZXktdjEAAAAsecretBODY\n      {END}"
TOKEN = "hf_secretBODYsecretBODYsecretBODY"
AWS_KEY = "AKIASECRETBODYSECRET"


@pytest.mark.parametrize(
    "more",
    [
        f"network:\n  ssh_keys:\n    - |\n      {KEY}\n",
        f"network:\n  ssh_keys: |\n      {KEY}\n",
        f'network:\n  ssh_keys: "{BEGIN} b3BlbnsecretBODY"\n',
        'network: {ssh_keys: "b3BlbnsecretBODY"}\n',
        f"network: {BEGIN} MIIEsecretBODY\n",
        f"job: {{command: {TOKEN}}}\n",
        f"labels: {{{TOKEN}: [1]}}\n",
        f"budget: {{per_month_usd: {AWS_KEY}}}\n",
        f"{AWS_KEY}: 1\n",
        f"shutdown: {{lease: {TOKEN}}}\n",
    ],
)
def test_no_finding_shows_a_secret(more: str):
    loaded = read(more)
    assert loaded.diagnostics
    text = as_text(loaded.diagnostics, {"cluster.yaml": (HEAD + more).splitlines()})
    text += "".join(str(d.as_dict()) for d in loaded.diagnostics)
    assert "secretbody" not in text.casefold()


def test_a_private_key_in_a_block_names_the_fault_and_the_next_step():
    (one,) = read(f"network:\n  ssh_keys:\n    - |\n      {KEY}\n").diagnostics
    assert (one.code, one.path) == ("GI1046", "network.ssh_keys[0]")
    assert "not one SSH public key; it is not shown here" in one.message
    assert ".pub file" in one.hint


@pytest.mark.parametrize("value", [f"{BEGIN} secretBODY", [f"{BEGIN}\nsecretBODY"], ["MIIE\nsecretBODY"]])
def test_pydantics_own_error_shows_no_key(value: object):
    with pytest.raises(ValidationError) as caught:
        Network(ssh_keys=value)  # type: ignore[arg-type]
    assert "secretBODY" not in str(caught.value)


def test_a_public_key_is_still_quoted():
    (one,) = read('network: {ssh_keys: "ssh-ed25519 AAAA me"}\n').diagnostics
    assert 'write ssh_keys: ["ssh-ed25519 AAAA me"]' in one.hint


def test_a_rule_that_quotes_a_value_itself_shows_no_secret():
    code = Code("GI0000", "x", Severity.ERROR, "x", fix="mend it")
    one = code.at("x", f"'{BEGIN}\nsecretBODY' is refused, '{TOKEN}' too", f"not {AWS_KEY}")
    assert one.message.endswith("' is refused, '(a Hugging Face token, not shown here)' too")
    assert "BODY" not in str(one.as_dict())
