/** Descriptions of members, by component name. */
export type Descriptions = Record<string, Record<string, string>>
