/**
 * The id that a platform gives to an organization: 1 to 255 characters that need no escaping in headers, log lines and tables. Commas
 * and spaces separate header values, and letters beyond ASCII have several encodings, so none is allowed. Case matters.
 */
export const EXTERNAL_ID_PATTERN = '^[A-Za-z0-9._:@|/+=~-]{1,255}$'

const EXTERNAL_ID = new RegExp(EXTERNAL_ID_PATTERN)

/** The rule as a message of the command line. */
export const EXTERNAL_ID_RULE =
  '--external-id must be 1 to 255 letters, digits and signs of . _ : @ | / + = ~ -'

export const isExternalId = (text: string): boolean => EXTERNAL_ID.test(text)
