"""The start from an order: exact where its assumptions hold, lawful always."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from test_estimator import table
from test_knowledge import knowledge

import dagdecor as dd
from dagdecor.knowledge import Rules
from dagdecor.search.ordered import ordered


@given(seed=st.integers(0, 2**32 - 1), p=st.integers(1, 8))
def test_equal_variances_without_hidden_causes_give_the_true_graph(seed, p):
    rng = np.random.default_rng(seed)
    place = rng.permutation(p)
    true = (np.triu(rng.random((p, p)) < 0.6, 1))[np.ix_(place, place)]
    B = true * rng.uniform(0.3, 0.9, (p, p)) * rng.choice([-1, 1], (p, p))
    T = np.linalg.inv(np.eye(p) - B)
    found = ordered(2.5 * T.T @ T, 10_000, 1.0, Rules.none(p))
    np.testing.assert_array_equal(found, true)


@given(
    st.integers(2, 6).flatmap(lambda p: st.tuples(st.just(p), knowledge(p))),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.5, 12.0]),
)
def test_what_is_known_is_obeyed(case, seed, price):
    p, known = case
    moments = dd.Moments.from_data(table(seed, 60, p))
    rules = known.rules(moments.names)
    found = ordered(np.array(moments.S), 60, price, rules)
    assert dd.MixedGraph.from_matrices(found, names=moments.names).order
    assert not (found & ~rules.may_lead).any()
    assert found[rules.must_lead].all()
