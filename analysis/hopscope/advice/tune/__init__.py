"""Tuning a program by measurement: a prediction screens candidates, interleaved runs decide.

candidate   a candidate's changes to the command that starts a program
pool        the candidates for a recorded run, the most promising first
job         one measured run of the program, in a process of its own with a time limit
iteration   the time of an iteration, by which runs are compared
decision    survivors of a round, and the proof of a gain
journal     measurements so far, kept in tuning.json after every run
budget      the runs that are still allowed, and the plan of the elimination
elimination rounds that leave the best candidate
alternation engine and MPI library in alternating blocks of iterations within one run
session     baseline, elimination and confirmation within a budget
outcome     the files with the result: settings and command line
page        the report
verify      a later measurement of the same gain
"""
