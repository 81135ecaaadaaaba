-- How many standard errors below a share the lower end of its interval lies, where so many shares are compared, each over so many blocks.
--
-- One of many shares lies far from chance by chance. So the error of an interval of 95 % is divided by how many are compared (Bonferroni's correction: Dunn,
-- Multiple comparisons among means, JASA 56, 1961). At such levels 200 draws have no quantile, so the interval is the share with Student's quantiles of the
-- bootstrap's standard error (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 12), by their expansion in the degrees of freedom, blocks
-- minus 1 (Abramowitz and Stegun, 26.7.5).
--
-- uses normal_quantile
create or replace macro errors_below(compared, blocks) as
(
    normal_quantile(interval_ends()[1] / compared)
    + (pow(normal_quantile(interval_ends()[1] / compared), 3) + normal_quantile(interval_ends()[1] / compared))
    / (4 * (blocks - 1))
    + (
        5 * pow(normal_quantile(interval_ends()[1] / compared), 5)
        + 16 * pow(normal_quantile(interval_ends()[1] / compared), 3)
        + 3 * normal_quantile(interval_ends()[1] / compared)
    )
    / (96 * pow(blocks - 1, 2))
);
