/// A view with a text that a controller may save: see ``RestorableText``.
///
/// A view whose text is secret does not conform (P15).
public protocol TextHolding: View {
    /// The text. Setting it puts the caret behind it.
    var text: String { get set }
}
