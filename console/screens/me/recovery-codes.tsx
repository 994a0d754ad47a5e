import { textOf } from '../../app/words.ts'
import { SecretOnce } from '../../parts/secret.tsx'

/** Recovery codes, shown this once. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <div class="me-codes">
      <SecretOnce
        title="Your recovery codes"
        secret={codes.map(textOf).join('\n')}
        what="list of codes"
        advice="Each code signs you in once when you have lost your second factor. Save them apart from your devices."
        onClose={onClose}
      />
    </div>
  )
}
