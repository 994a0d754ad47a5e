/** What the members of the components mean, by the name of the component. */
export type Words = Record<string, Record<string, string>>
