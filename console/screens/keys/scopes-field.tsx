import type { CreateApiKeyBody, Scope, ScopePage } from '#sdk/postern.ts'
import { useData } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { textOf } from '../../app/words.ts'
import { ChoicesField, type FormState } from '../../parts/form.tsx'

/** What a new key may do: all that its role may, or some scopes of that. */
export interface KeyRights {
  role: 'member' | 'administrator'
  /** `*`: all that the role may. */
  scopes: string[]
}

/** All scopes, in the order of the table. */
function useScopes(): readonly Scope[] {
  const { data } = useData('scopes', (how) => postern.apiKeys.scopes(how).page() as Promise<ScopePage>)
  return data?.data ?? []
}

/** Whether a role has a scope. */
const isOfRole = (role: KeyRights['role']) => (one: Scope) => role === 'administrator' || one.role === role

/** Whether who makes the key may give it a scope. */
type May = (scope: string) => boolean
const everything: May = () => true

/**
 * Gives the scopes of a new key as the API has them; null for all that its role may. A scope that was chosen before and that the present
 * role does not have is left out.
 */
export function useChosenScopes(): (rights: KeyRights) => NonNullable<CreateApiKeyBody['scopes']> | null {
  const all = useScopes()
  return ({ role, scopes }) => {
    if (scopes.includes('*')) return null
    const own = all.filter(isOfRole(role)).map(({ scope }) => scope)
    return own.filter((scope) => scopes.includes(scope)) as NonNullable<CreateApiKeyBody['scopes']>
  }
}

/** Whether a key may do all that its role may, or which of it. */
export function ScopesField<V extends KeyRights>({
  of,
  all = 'Everything that the role permits',
  may = everything,
}: {
  of: FormState<V>
  /** The label of the choice without scopes. */
  all?: string
  may?: May
}) {
  const { role, scopes } = of.values
  const isAll = scopes.includes('*')
  const set = (next: string[]) => of.set('scopes', next as V['scopes'])
  const own = useScopes().filter(isOfRole(role))
  // A key permits no more than its maker may do.
  const isPart = own.some(({ scope }) => !may(scope))
  const options = own
    .filter(({ scope }) => may(scope))
    .map(({ scope, description }) => ({
      value: textOf(scope),
      label: textOf(scope),
      note: textOf(description),
    }))
  return (
    <>
      <fieldset class="field">
        <legend>Scopes</legend>
        <label class="check">
          <input
            type="radio"
            name="scopes-all"
            checked={isAll}
            disabled={isPart}
            onChange={() => set(['*'])}
          />
          <span>
            {all}
            {isPart && <span class="quiet small choices-note">Your own role permits less.</span>}
          </span>
        </label>
        <label class="check">
          <input type="radio" name="scopes-all" checked={!isAll} onChange={() => set([])} />
          <span>Only selected scopes</span>
        </label>
      </fieldset>
      {!isAll && (
        <ChoicesField
          of={of}
          name={'scopes' as keyof V & string}
          label="Selected scopes"
          hint="The key keeps them as long as it exists."
          options={options}
        />
      )}
    </>
  )
}
