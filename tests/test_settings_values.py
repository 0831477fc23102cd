"""Values of settings: what makes two of them different."""

import pytest

from hyperna.experiments.setting import setting


def test_a_setting_of_a_file_depends_on_its_weights(tmp_path):
    file = tmp_path / "points.csv"
    head, rows = "x,y,w,label\n", [(0.1, 0.2, 1, 0), (-0.3, 0.4, 2, 1), (0.5, -0.1, 3, 1)]
    ids = set()
    for factor in (1, 2):
        heavier = [(a, b, w * factor if b > 0.3 else w, c) for a, b, w, c in rows]
        file.write_text(head + "".join(f"{','.join(map(str, row))}\n" for row in heavier))
        ids.add(setting(problem=str(file), label="label", weight="w").id)
    assert len(ids) == 2


def test_a_seed_of_zero_is_the_default():
    assert setting(problem="half", seed=0) == setting(problem="half")
    assert setting(problem="half", seed=1) != setting(problem="half")


def test_a_neuron_is_not_always_replaced():
    assert setting(problem="half", replace_neuron=0.999).replace_neuron == 0.999
    with pytest.raises(ValueError, match="replace_neuron"):
        setting(problem="half", replace_neuron=1.0)


def test_seeds_of_settings_have_128_bits():
    seeds = [setting(problem="half", resolution=r).entropy for r in range(2, 200)]
    assert all(seed < 2**128 for seed in seeds)
    assert max(seeds) > 2**127
    assert len({seed >> 96 for seed in seeds}) == len(seeds)
