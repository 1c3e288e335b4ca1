"""What the posted rules ask a technician to know."""

from __future__ import annotations

from firmware_app.diagnosis.finding import Finding
from firmware_app.diagnosis.rules_check import check_rules
from firmware_app.rules.profile import Profile, load_profile


def found_in(profile: Profile) -> dict[str, Finding]:
    return {finding.check: finding for finding in check_rules(profile)}


def with_bank(cents: int) -> Profile:
    fields = load_profile("daytona").model_dump()
    fields["designated_player"]["minimum_bank_cents"] = cents
    return Profile.model_validate(fields)


def test_a_designated_players_bank_of_30000_covers_the_top_line_to_a_6_dollar_wager() -> None:
    bank = found_in(load_profile("daytona"))["bank"]

    assert bank.status == "warning"
    assert "$30,000 covers 5,000 to 1 in full only to a Fortune wager of $6;" in bank.detail
    assert "a bank of $50,000 covers one spot at the maximum" in bank.cure


def test_a_bank_up_to_the_cap_of_a_spot_covers_every_wager() -> None:
    assert found_in(with_bank(50_000_00))["bank"].status == "ok"
    assert found_in(with_bank(49_999_00))["bank"].status == "warning"


def test_the_six_card_game_needs_a_pay_table_of_the_operator() -> None:
    found = found_in(load_profile("six-card"))

    assert found["pay-table"].status == "warning"
    assert "every Fortune wager is returned" in found["pay-table"].detail
    assert "the operator must post one" in found["pay-table"].cure
    assert "bank" not in found


def test_a_posted_pay_table_is_fine_and_a_sample_is_not() -> None:
    daytona = load_profile("daytona")
    posted = found_in(daytona)["pay-table"]
    assert (posted.status, posted.cure) == ("ok", "")
    assert "11 lines posted, the top one pays 5,000 to 1" in posted.detail

    fields = daytona.model_dump()
    fields["fortune"]["sample_pay_table"] = True
    assert found_in(Profile.model_validate(fields))["pay-table"].status == "warning"
