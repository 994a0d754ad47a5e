import { useState } from 'preact/hooks'
import type { Plan } from '#sdk/postern.ts'
import { money } from '../../app/amounts.ts'
import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { go, to, useIsHere } from '../../app/router.ts'
import { number, textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failed } from '../../parts/notice.tsx'
import { usePlans } from './data.ts'

const PACKS = [1, 2, 5, 10, 20, 50]

/**
 * Begins a checkout for credits, or for a plan. It is paid on the page of the payment provider, which leads back here. Without a
 * provider this opens only for a plan that costs nothing.
 */
export function Buy({ plan, onClose }: { plan?: Plan; onClose: () => void }) {
  const isHere = useIsHere()
  const pack = usePlans().data?.creditPack
  const [packs, setPacks] = useState(1)
  const price = plan?.price ?? (pack && { amount: pack.price.amount * packs, currency: pack.price.currency })
  const buying = useAction(async () => {
    const item =
      plan === undefined ? { credits: (pack?.credits ?? 0) * packs } : { plan: plan.name as 'team' }
    const returnUrl = `${location.origin}${to('/credits')}`
    const { checkoutUrl, checkoutId } = await postern.billing.checkout({ ...item, returnUrl })
    outdate('billing')
    outdate('plans')
    if (!isHere()) return
    // What costs nothing has come already, and there is no page to go to.
    if (price?.amount !== 0 && /^https?:$/.test(URL.parse(checkoutUrl)?.protocol ?? ''))
      location.assign(checkoutUrl)
    else {
      onClose()
      go(to('/credits', { id: checkoutId }))
    }
  })
  return (
    <Dialog title={plan === undefined ? 'Buy credits' : `Change to ${textOf(plan.name)}?`} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void buying.run()
        }}
      >
        {plan === undefined && pack && (
          <div class="field">
            <label for="buy-packs">Credits</label>
            <select
              id="buy-packs"
              value={packs}
              onChange={(event) => setPacks(Number(event.currentTarget.value))}
            >
              {PACKS.map((many) => (
                <option key={many} value={many}>
                  {number(pack.credits * many)}
                </option>
              ))}
            </select>
          </div>
        )}
        {plan !== undefined && (
          <p>
            {price?.amount === 0
              ? 'The plan changes at once.'
              : 'The plan changes within seconds of the payment.'}
          </p>
        )}
        {price && price.amount > 0 && (
          <p class="plan-price">
            {money(price)} <span class="small quiet">· you pay on the page of the payment provider</span>
          </p>
        )}
        <Failed failure={buying.failure} />
        <div class="row dialog-foot">
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" icon="link" busy={buying.isBusy}>
            {price?.amount === 0 ? 'Change the plan' : 'Continue to payment'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
