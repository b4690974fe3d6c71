public import StateRestoration

/// A property wrapper for a text field or text view whose text the controller saves (V4).
///
/// The controller lists the property in `restorables(_:)`, like a `@Restorable` property. No further code is
/// needed. The view can be defined in the storyboard or created in code:
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
/// The text is restored before the controller's `decodeRestorableState(with:)` is called, and therefore before the view
/// restores its selection. If the controller's view is not loaded, no text is saved. A property that is not listed is
/// reported as `StateEncodingError.Cause.restorableNotListed`.
@propertyWrapper
public struct RestorableText<Input: RestorableTextInput> {
    private enum Source {
        case outlet(String)
        case view(Input)
    }

    /// The key under which the text is saved.
    package let key: StaticString
    private let source: Source

    /// Creates a property for a view that the storyboard defines.
    ///
    /// The controller lists the view in ``ViewController/storyboardRequirements``.
    ///
    /// - Parameters:
    ///   - key: A key that is unique in the controller and does not begin with `@`.
    ///   - outlet: The view's name in the storyboard.
    public init(_ key: StaticString, outlet: String) {
        self.key = key
        source = .outlet(outlet)
    }

    /// Creates a property for a view that the controller creates.
    ///
    /// - Parameters:
    ///   - wrappedValue: The view that contains the text.
    ///   - key: A key that is unique in the controller and does not begin with `@`.
    public init(wrappedValue: Input, _ key: StaticString) {
        self.key = key
        source = .view(wrappedValue)
    }

    /// Unavailable because the property must belong to a view controller.
    @available(*, unavailable, message: "@RestorableText can be used only in a view controller")
    public var wrappedValue: Input { fatalError() }

    /// Unavailable because the property must belong to a view controller.
    @available(*, unavailable, message: "@RestorableText can be used only in a view controller")
    public var projectedValue: Projection { fatalError() }

    /// The view that contains the text.
    public static subscript<Owner: ViewController>(
        _enclosingInstance owner: Owner,
        wrapped wrapped: KeyPath<Owner, Input>,
        storage storage: KeyPath<Owner, RestorableText>
    ) -> Input {
        owner[keyPath: storage].view(of: owner)
    }

    /// The value that is passed to the visitor in `restorables(_:)`.
    public static subscript<Owner: ViewController>(
        _enclosingInstance owner: Owner,
        projected projected: KeyPath<Owner, Projection>,
        storage storage: KeyPath<Owner, RestorableText>
    ) -> Projection {
        Projection(property: owner[keyPath: storage], owner: owner)
    }

    fileprivate func view(of owner: ViewController) -> Input {
        switch source {
        case .outlet(let name): owner.outlet(name)
        case .view(let view): view
        }
    }

    /// A property together with its controller, as listed in `restorables(_:)`.
    public struct Projection {
        let property: RestorableText
        let owner: ViewController
    }
}

extension RestorableText: ListedProperty {}

extension RestorableVisitor {
    /// Saves or restores the text of a view, depending on the visitor.
    public mutating func visit<Input>(_ projection: RestorableText<Input>.Projection) {
        let (property, owner) = (projection.property, projection.owner)
        task.perform(property.key) { coder in
            if owner.isViewLoaded {
                coder.encode(property.view(of: owner).text, forKey: property.key)
            }
        } restore: { coder throws(StateDecodingError) in
            if let savedText = try coder.decode(String.self, forKey: property.key) {
                property.view(of: owner).text = savedText
            }
        }
    }
}

/// A view whose text a controller can save with ``RestorableText``.
///
/// Views with secret text do not conform to this protocol (P15).
public protocol RestorableTextInput: View {
    /// The text.
    ///
    /// Setting the text moves the caret to the end.
    var text: String { get set }
    /// Whether the view saves its text itself (P21).
    var preservesText: Bool { get }
}

extension RestorableTextInput {
    /// `false` by default, because the controller encodes the text (V4).
    public var preservesText: Bool { false }
}
