public import StateRestoration

/// A text field or text view whose text is saved under a key of its controller's (V4).
///
/// The controller lists it in `restorables(_:)`, like a `@Restorable` property,
/// and needs no further code. It works for a view of the storyboard and for one made in code:
///
/// ```swift
/// final class NoteController: ViewController {
///     @RestorableText("title", outlet: "titleField") var titleField: TextField
///     @RestorableText("notes") var notes = TextView()
///
///     override func restorables(_ visitor: inout some RestorableVisitor) {
///         super.restorables(&visitor)
///         visitor.visit($titleField)
///         visitor.visit($notes)
///     }
/// }
/// ```
///
/// The text is restored before `decodeRestorableState(with:)` of the controller is called, and so
/// before the view takes its selection back. A controller whose view is not loaded has no text to
/// save. One that is not listed is reported
/// (`StateEncodingError.Cause.restorableNotListed`).
@propertyWrapper
public struct RestorableText<Input: TextHolding> {
    private enum Place {
        case outlet(String)
        case view(Input)
    }

    /// The key under which the text is saved.
    package let key: StaticString
    private let place: Place

    /// The text of a view that the storyboard states; the controller names it in
    /// ``ViewController/storyboardRequirements``.
    ///
    /// - Parameters:
    ///   - key: unique in the controller, not beginning with `@`.
    ///   - outlet: the view's name in the storyboard.
    public init(_ key: StaticString, outlet: String) {
        self.key = key
        place = .outlet(outlet)
    }

    /// The text of a view that the controller makes.
    ///
    /// - Parameters:
    ///   - wrappedValue: the view.
    ///   - key: unique in the controller, not beginning with `@`.
    public init(wrappedValue: Input, _ key: StaticString) {
        self.key = key
        place = .view(wrappedValue)
    }

    /// Not used: the property belongs to a view controller.
    @available(*, unavailable, message: "a view controller has @RestorableText")
    public var wrappedValue: Input { fatalError() }

    /// Not used: the property belongs to a view controller.
    @available(*, unavailable, message: "a view controller has @RestorableText")
    public var projectedValue: Listed { fatalError() }

    /// The view.
    public static subscript<Owner: ViewController>(
        _enclosingInstance owner: Owner,
        wrapped wrapped: KeyPath<Owner, Input>,
        storage storage: KeyPath<Owner, RestorableText>
    ) -> Input {
        owner[keyPath: storage].view(of: owner)
    }

    /// The text as it is listed in `restorables(_:)`.
    public static subscript<Owner: ViewController>(
        _enclosingInstance owner: Owner,
        projected projected: KeyPath<Owner, Listed>,
        storage storage: KeyPath<Owner, RestorableText>
    ) -> Listed {
        Listed(text: owner[keyPath: storage], owner: owner)
    }

    fileprivate func view(of owner: ViewController) -> Input {
        switch place {
        case .outlet(let name): owner.outlet(name)
        case .view(let view): view
        }
    }

    /// The text as its controller lists it.
    public struct Listed {
        let text: RestorableText
        let owner: ViewController
    }
}

extension RestorableText: ListedProperty {}

extension RestorableVisitor {
    /// Saves or restores the text of a view.
    public mutating func visit<Input>(_ listed: RestorableText<Input>.Listed) {
        let (text, owner) = (listed.text, listed.owner)
        task.perform(text.key) { coder in
            if owner.isViewLoaded { coder.encode(text.view(of: owner).text, forKey: text.key) }
        } restore: { coder throws(StateDecodingError) in
            if let saved = try coder.decode(String.self, forKey: text.key) {
                text.view(of: owner).text = saved
            }
        }
    }
}

/// A view with a text that a controller may save: see ``RestorableText``.
///
/// A view whose text is secret does not conform (P15).
public protocol TextHolding: View {
    /// The text. Setting it puts the caret behind it.
    var text: String { get set }
    /// Whether the view saves its text by itself (P21).
    var preservesText: Bool { get }
}

extension TextHolding {
    /// False: the text is the controller's to encode (V4).
    public var preservesText: Bool { false }
}
