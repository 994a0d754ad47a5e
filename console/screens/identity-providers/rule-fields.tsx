import { Button } from '../../parts/button.tsx'
import type { FormState } from '../../parts/form.tsx'
import type { ProviderTexts, RoleRule } from './values.ts'

/** Rules that give roles by claims: the first one that matches counts. */
export function RuleFields({
  of,
  roles,
}: {
  of: FormState<ProviderTexts>
  roles: readonly (readonly [id: string, name: string])[]
}) {
  const rules = of.values.roleRules
  of.fields.add('roleRules')
  const error = of.errorOf('roleRules')
  const change = (at: number, part: Partial<RoleRule>) =>
    of.set(
      'roleRules',
      rules.map((rule, index) => (index === at ? { ...rule, ...part } : rule)),
    )
  return (
    <fieldset class="field providers-rules">
      <legend>Roles by groups</legend>
      <p class="hint small quiet">
        The first rule whose claim has the value gives the role. A claim with the groups is often named
        groups.
      </p>
      {rules.map((rule, at) => (
        <div class="providers-rule" key={at}>
          <input
            aria-label={`Claim of rule ${at + 1}`}
            class="mono"
            placeholder="groups"
            spellcheck={false}
            value={rule.claim}
            onInput={(event) => change(at, { claim: event.currentTarget.value })}
          />
          <input
            aria-label={`Value of rule ${at + 1}`}
            class="mono"
            placeholder="engineering"
            spellcheck={false}
            value={rule.value}
            onInput={(event) => change(at, { value: event.currentTarget.value })}
          />
          <select
            aria-label={`Role of rule ${at + 1}`}
            value={rule.role}
            onChange={(event) => change(at, { role: event.currentTarget.value })}
          >
            {roles.map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
          <Button
            kind="quiet"
            small
            icon="cross"
            label={`Remove rule ${at + 1}`}
            onPress={() =>
              of.set(
                'roleRules',
                rules.filter((_, index) => index !== at),
              )
            }
          />
        </div>
      ))}
      {error && <p class="field-error small">{error}</p>}
      <div>
        <Button
          small
          icon="plus"
          reason={rules.length >= 50 ? 'There are 50 rules at most' : undefined}
          onPress={() => of.set('roleRules', [...rules, { claim: 'groups', value: '', role: 'member' }])}
        >
          Add a rule
        </Button>
      </div>
    </fieldset>
  )
}
