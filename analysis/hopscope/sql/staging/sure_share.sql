-- The lower end of a share's interval, wide enough for the number of shares that are compared.
--
-- share: the share to evaluate. square: the mean of the squares of each collective's contribution (equal to the share
-- if each contributes 0 or 1). standard_error: from the bootstrap; null without one. collectives, blocks: the numbers
-- of collectives and of blocks. compared: the number of shares that are compared. error: the probability with which an
-- interval may miss.
--
-- Of many shares, one lies far from its expected value by chance, so the error is divided by the number compared
-- (Bonferroni's correction: Dunn, Multiple comparisons among means, JASA 56, 1961). 200 draws have no quantile for such
-- small errors. So the lower end is the share less Student's quantile of standard errors (Efron and Tibshirani, An
-- Introduction to the Bootstrap, 1993, chapter 12). Few blocks may be alike by chance, which makes that error too
-- small. So the lower end is never above that for independent collectives, with two more collectives added: one that
-- adds 0 and one that adds 1 (Laplace's rule).
--
-- uses student_quantile, normal_quantile
create or replace macro sure_share(share, square, standard_error, collectives, compared, blocks, error) as
(
    case
        when standard_error is not null
            then
                share - greatest(
                    student_quantile(error / 2 / compared, blocks - 1) * standard_error,
                    normal_quantile(error / 2 / compared)
                    * sqrt(
                        (
                            (square * collectives + 1) / (collectives + 2)
                            - pow((share * collectives + 1) / (collectives + 2), 2)
                        )
                        / (collectives + 2)
                    )
                )
    end
);
