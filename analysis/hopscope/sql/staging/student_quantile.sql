-- The point above which this part of Student's distribution lies, in standard errors.
--
-- Computed by the expansion in the degrees of freedom (Abramowitz and Stegun, Handbook of Mathematical Functions,
-- 26.7.5). The part must be at most a half.
--
-- uses normal_quantile
create or replace macro student_quantile(part, degrees) as
(
    normal_quantile(part)
    + (pow(normal_quantile(part), 3) + normal_quantile(part)) / (4 * degrees)
    + (5 * pow(normal_quantile(part), 5) + 16 * pow(normal_quantile(part), 3) + 3 * normal_quantile(part))
    / (96 * pow(degrees, 2))
);
