"""Records go straight down, from the file that is read to the file that is written."""

from benchmarks import record_path


def test_records_stay_in_few_modules_and_do_not_climb_back():
    path = record_path.followed(record_path.run_a_plan)
    assert len(path.stays) <= 35
    assert len(path.climbs) <= 5


def test_a_climb_is_seen():
    assert record_path.imports("microdata.release.release", "microdata.protection.steps")
    assert not record_path.imports("microdata.protection.steps", "microdata.release.release")
