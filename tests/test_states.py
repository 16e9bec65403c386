"""The states of a training run: what they may hold, and what becomes of damaged ones."""

from pathlib import Path

import pytest

from wslib.study.engine import states
from wslib.study.engine import units as study
from wslib.study.engine.runs import RunUnit
from wslib.study.engine.states import RunFolder
from wslib.study.engine.store import LocalStore
from wslib.training.loop import preset

RUN = preset("smoke", game="connect4", method="wrora", retrained=2)


# --- divergence ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["weights", "loss"])
def test_a_run_that_diverges_is_refused_with_its_name_and_iteration_and_its_last_good_state_stays(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    real = states.advance

    def advance(run, state, clock):
        state, news = real(run, state, clock)
        if state.iteration == 3 and what == "weights":
            state.network.policy.bias.data[0] = float("nan")
        elif state.iteration == 3:  # of a candidate that the gate has refused
            news["policy_loss"] = float("inf")
        return state, news

    monkeypatch.setattr(states, "advance", advance)
    unit = RunUnit(run=RUN, iterations=4)
    with pytest.raises(study.UnitsFailed) as told:
        study.results([unit], "trial", 1, LocalStore(tmp_path), progress=False)
    sentence = str(told.value).splitlines()[0]
    assert f"run {RUN.id} (wrora, connect4-6x6-k4, seed 0) diverged in iteration 3 and is not stored" in sentence
    assert ("policy.bias" if what == "weights" else "policy_loss is inf") in sentence
    assert "a learning_rate below 0.005 would be right" in sentence
    assert RunFolder(RUN, tmp_path).iterations() == [2, 1]
    assert LocalStore(tmp_path).read("run", unit.id) is None
