/**
 * The id that a platform gives to an organization: 1 to 255 signs that stand as they are in a header, a log line and a table.
 * A comma or a space would part two values of a header, and a letter beyond ASCII has several spellings; none of them is one.
 * Upper and lower case differ, as they do in the ids of other systems.
 */
export const EXTERNAL_ID_PATTERN = '^[A-Za-z0-9._:@|/+=~-]{1,255}$'

const EXTERNAL_ID = new RegExp(EXTERNAL_ID_PATTERN)

/** The rule in a sentence of the command line. */
export const EXTERNAL_ID_RULE =
  '--external-id must be 1 to 255 letters, digits and signs of . _ : @ | / + = ~ -'

export const isExternalId = (text: string): boolean => EXTERNAL_ID.test(text)
