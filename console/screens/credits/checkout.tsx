import { money } from '../../app/amounts.ts'
import { to } from '../../app/router.ts'
import type { ScreenProps } from '../../app/screen.ts'
import { IdText } from '../../parts/copy.tsx'
import { Facts, Page, Panel } from '../../parts/page.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { CheckoutState, itemOf } from './checkout-state.tsx'
import { isForSale, useCheckout, usePlans } from './data.ts'

/** One checkout. */
export function Screen({ params: { id = '' } }: ScreenProps) {
  const { data } = useCheckout(id)
  const isPaid = isForSale(usePlans().data)
  return (
    <Page title="Checkout" back={{ href: to('/credits'), label: 'Credits' }}>
      <CheckoutState id={id} />
      {data && (
        <Panel title="Details">
          <Facts
            rows={[
              ['What', itemOf(data)],
              isPaid && ['Price', money(data.price)],
              ['Created', <ExactTime key="begun" at={data.createdAt} />],
              data.paidAt !== null && [
                isPaid ? 'Paid' : 'Settled',
                <ExactTime key="paid" at={data.paidAt} />,
              ],
              data.paidAt === null && ['Expires', <ExactTime key="ends" at={data.expiresAt} />],
              ['ID', <IdText key="id" id={id} />],
            ]}
          />
        </Panel>
      )}
    </Page>
  )
}
