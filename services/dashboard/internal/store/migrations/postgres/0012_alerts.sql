-- Reserved for a change that lands separately. Remove this file when that change has this number.
SELECT 1;
