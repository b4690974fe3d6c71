import StateRestoration

/// A text that was copied. Neither a controller nor a view: it is preserved because the delegate
/// registers it.
final class Clipboard: StateRestoring {
    let restoration = RestorationNode()
    @Restorable("text") var text = ""

    func restorables(_ visitor: inout some RestorableVisitor) {
        visitor.visit(&$text)
    }

    func encodeRestorableState(with coder: StateEncoder) {}

    func decodeRestorableState(with coder: StateDecoder) {}
}
