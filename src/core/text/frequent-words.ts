/** English stop words, in lower case. */
export const FREQUENT_WORDS: ReadonlySet<string> = new Set(
  `a about all also an and any are as at be been but by can could did do does for from had has have he her his how i if in
  into is it its just me more most my no not of on or other our out she should so some such than that the their them then
  there these they this those to up us was we were what when where which who why will with would you your`.split(
    /\s+/,
  ),
)
