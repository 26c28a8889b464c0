"""Time expressions in four languages become windows, seen from a Thursday in June 2023."""

from datetime import datetime

import pytest

from munin_app.memory.times import windows

NOW = int(datetime(2023, 6, 15, 12).timestamp() * 1000)


def days(text: str) -> list[tuple[str, str]]:
    return [
        tuple(datetime.fromtimestamp(edge / 1000).strftime("%Y-%m-%d") for edge in (window.start, window.end))  # type: ignore[misc]  # two
        for window in windows(text, NOW)
    ]


@pytest.mark.parametrize(
    "text",
    ["on 8 May, 2023", "May 8th 2023", "2023-05-08", "8.5.2023", "am 8. Mai 2023", "el 8 de mayo de 2023", "le 8 mai 2023"],
)
def test_a_date_is_a_day(text: str) -> None:
    assert days(text) == [("2023-05-08", "2023-05-09")]


@pytest.mark.parametrize("text", ["two weeks ago", "vor zwei Wochen", "hace dos semanas", "il y a 2 semaines"])
def test_weeks_ago_are_that_calendar_week(text: str) -> None:
    assert days(text) == [("2023-05-29", "2023-06-05")]


@pytest.mark.parametrize("text", ["last March", "letzten März", "marzo pasado", "mars dernier"])
def test_last_march_is_the_latest_that_is_over(text: str) -> None:
    assert days(text) == [("2023-03-01", "2023-04-01")]


@pytest.mark.parametrize("text", ["yesterday", "gestern", "ayer", "c'était hier"])
def test_yesterday(text: str) -> None:
    assert days(text) == [("2023-06-14", "2023-06-15")]


@pytest.mark.parametrize("text", ["last week", "letzte Woche", "la semana pasada", "la semaine dernière"])
def test_last_week_begins_on_its_monday(text: str) -> None:
    assert days(text) == [("2023-06-05", "2023-06-12")]


@pytest.mark.parametrize("text", ["in August", "im August", "en agosto", "en août"])
def test_a_bare_month_is_that_of_any_recent_year(text: str) -> None:
    assert ("2022-08-01", "2022-09-01") in days(text)
    assert ("2020-08-01", "2020-09-01") in days(text)


@pytest.mark.parametrize("text", ["before March 2023", "vor März 2023", "antes de marzo de 2023", "avant mars 2023"])
def test_before_ends_where_the_month_begins(text: str) -> None:
    ((_, end),) = days(text)
    assert end == "2023-03-01"


@pytest.mark.parametrize("text", ["since March 2023", "seit März 2023", "desde marzo de 2023", "depuis mars 2023"])
def test_since_reaches_to_the_present(text: str) -> None:
    ((start, end),) = days(text)
    assert (start, end) == ("2023-03-01", "2023-06-15")


@pytest.mark.parametrize("text", ["May I ask?", "it may march on", "31 February 2023", "Wir sind hier", "a week", ""])
def test_what_is_no_time_is_none(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize("text", ["last weekend", "letztes Wochenende", "el fin de semana pasado", "le week-end dernier"])
def test_last_weekend_is_over(text: str) -> None:
    assert days(text) == [("2023-06-10", "2023-06-12")]


@pytest.mark.parametrize("text", ["this weekend", "dieses Wochenende", "este fin de semana", "ce week-end"])
def test_this_weekend_is_that_of_the_week(text: str) -> None:
    assert days(text) == [("2023-06-17", "2023-06-19")]


@pytest.mark.parametrize("text", ["last summer", "letzten Sommer", "el verano pasado", "l'été dernier", "in summer 2022"])
def test_last_summer_is_the_latest_that_is_over(text: str) -> None:
    assert days(text) == [("2022-06-01", "2022-09-01")]


@pytest.mark.parametrize("text", ["last winter", "letzten Winter", "el invierno pasado", "l'hiver dernier"])
def test_winter_reaches_into_the_next_year(text: str) -> None:
    assert days(text) == [("2022-12-01", "2023-03-01")]


@pytest.mark.parametrize("text", ["this autumn", "diesen Herbst", "este otoño", "cet automne"])
def test_this_autumn_may_be_still_to_come(text: str) -> None:
    assert days(text) == [("2023-09-01", "2023-12-01")]


@pytest.mark.parametrize("text", ["in spring", "im Frühling", "en primavera", "au printemps"])
def test_a_bare_season_is_that_of_any_recent_year(text: str) -> None:
    assert {("2023-03-01", "2023-06-01"), ("2021-03-01", "2021-06-01")} <= set(days(text))


@pytest.mark.parametrize("text", ["on Christmas 2022", "an Weihnachten 2022", "en Navidad de 2022", "à Noël 2022"])
def test_christmas(text: str) -> None:
    assert days(text) == [("2022-12-24", "2022-12-27")]


@pytest.mark.parametrize("text", ["the other day", "neulich", "el otro día", "l'autre jour"])
def test_the_other_day_is_in_the_last_fortnight(text: str) -> None:
    assert days(text) == [("2023-06-01", "2023-06-16")]


@pytest.mark.parametrize(
    "text",
    ["in the evening of 3 May 2023", "am Abend des 3. Mai 2023", "la noche del 3 de mayo de 2023", "le soir du 3 mai 2023"],
)
def test_an_evening_is_its_day(text: str) -> None:
    assert days(text) == [("2023-05-03", "2023-05-04")]


@pytest.mark.parametrize("text", ["last year", "im letzten Jahr", "el año pasado", "l'année dernière"])
def test_last_year(text: str) -> None:
    assert days(text) == [("2022-01-01", "2023-01-01")]


@pytest.mark.parametrize("text", ["a spring in the mattress", "Sommerreifen", "to fall asleep"])
def test_a_season_needs_a_word_that_makes_it_a_time(text: str) -> None:
    assert days(text) == []
