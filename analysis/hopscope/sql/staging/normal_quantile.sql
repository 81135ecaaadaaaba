-- The point above which this part of a normal distribution lies, in standard deviations.
--
-- The rational approximation of Hastings, with an error below 0.00045 (Abramowitz and Stegun, Handbook of Mathematical
-- Functions, 26.2.23). The part must be at most a half.
create or replace macro normal_quantile(part) as
(
    sqrt(-2 * ln(part))
    - (2.515517 + 0.802853 * sqrt(-2 * ln(part)) + 0.010328 * -2 * ln(part))
    / (
        1 + 1.432788 * sqrt(-2 * ln(part)) + 0.189269 * -2 * ln(part)
        + 0.001308 * -2 * ln(part) * sqrt(-2 * ln(part))
    )
);
