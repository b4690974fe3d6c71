import ExactText

/// Reason for which something that a person does to a view or a controller does not happen. Nothing
/// changed then.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum OperationError: Error, Sendable, Equatable {
    /// There is no element of this index: they are counted from 0, and `count` there are.
    case noSuchElement(index: Int, count: Int)
    /// More elements than the most that can be chosen at once.
    case tooManyElements(given: Int, most: Int)
    /// The model has no element of this identifier.
    case noSuchModelIdentifier(String)
    /// It cannot be done here and now: a clause that tells why, and what to do.
    case notPossible(String)
}

/// A view that a person can tap as a whole: a button, a switch.
public protocol Tappable: AnyObject {
    /// A person taps it.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if it takes no taps now.
    func tap() throws(OperationError)
}

/// An object with an edit mode: a table, a controller.
public protocol Editable: AnyObject {
    /// Whether the edit mode is on.
    var isEditing: Bool { get }

    /// A person turns the edit mode on or off.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if it cannot be edited.
    func changeEditing(_ isOn: Bool) throws(OperationError)
}

/// A view that a person types into: a text field, a text view.
public protocol TextInput: AnyObject {
    /// A person replaces the whole text, or writes behind it. The caret stands behind it then.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if the text cannot be edited.
    func type(_ text: String, appending: Bool) throws(OperationError)

    /// A person selects characters, or places the caret.
    ///
    /// - Parameter range: characters (grapheme clusters) counted from 0; an empty one is the caret.
    /// - Throws: ``OperationError/notPossible(_:)`` if the range does not fit the text.
    func chooseText(_ range: Range<Int>) throws(OperationError)

    /// A person presses a key. A view with a caret carries out every edit; the default writes behind the
    /// text, and refuses the others.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if the text cannot be edited like that.
    func edit(_ edit: TextEdit) throws(OperationError)
}

/// A view in which a person moves about: a scroll view, a picture.
public protocol Scrollable: AnyObject {
    /// The point of the content in the upper left corner, as ``scroll(to:)`` takes it.
    var visibleOrigin: Point { get }

    /// A person scrolls. Beyond the bounds it goes as far as they reach.
    ///
    /// - Parameter point: what comes to the upper left corner; finite.
    /// - Throws: ``OperationError/notPossible(_:)`` if it cannot be scrolled.
    func scroll(to point: Point) throws(OperationError)
}

/// A view that a person enlarges: a scroll view, a picture.
public protocol Zoomable: AnyObject {
    /// How much it is enlarged; 1 is the natural size.
    var zoomScale: Double { get }

    /// A person zooms. Beyond the limits it goes as far as they reach.
    ///
    /// - Parameter scale: 1 is the natural size; finite and above 0.
    /// - Throws: ``OperationError/notPossible(_:)`` if it cannot be zoomed.
    func zoom(to scale: Double) throws(OperationError)
}

/// An object in which a person goes back: a stack of controllers, pages, a history.
public protocol BackNavigating: AnyObject {
    /// A person goes back by one.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if nothing is before.
    func goBack() throws(OperationError)
}

/// An object in which a person goes forward: pages, a history.
public protocol ForwardNavigating: AnyObject {
    /// A person goes forward by one.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if nothing is behind.
    func goForward() throws(OperationError)
}

/// What shows a page at an address and keeps those that it showed before: a web view.
public protocol HistoryBrowsing: BackNavigating, ForwardNavigating {
    /// A person asks for a page, which comes behind the one that is shown.
    ///
    /// - Parameter address: a URL.
    /// - Throws: ``OperationError/notPossible(_:)`` if the address is none.
    func load(_ address: String) throws(OperationError)
}
