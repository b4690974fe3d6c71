import ExactText

/// A view that the user can tap, such as a button or a switch.
public protocol Tappable: AnyObject {
    /// Taps the view on behalf of the user.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if the view cannot be tapped now.
    func tap() throws(OperationError)
}

/// An object with an edit mode, such as a table or a controller.
public protocol Editable: AnyObject {
    /// Whether the object is in edit mode.
    var isEditing: Bool { get }

    /// Turns edit mode on or off on behalf of the user.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if the object cannot be edited.
    func changeEditing(_ isOn: Bool) throws(OperationError)
}

/// A view into which the user can type, such as a text field or a text view.
public protocol TextInput: AnyObject {
    /// Replaces the text or appends to it on behalf of the user.
    ///
    /// Afterwards, the caret is at the end of the text.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if the text cannot be edited.
    func type(_ text: String, appending: Bool) throws(OperationError)

    /// Selects characters or moves the caret on behalf of the user.
    ///
    /// - Parameter range: The zero-based range of characters (grapheme clusters). An empty range moves the caret.
    /// - Throws: ``OperationError/notPossible(_:)`` if the range does not fit the text.
    func selectText(_ range: Range<Int>) throws(OperationError)

    /// Performs an edit, such as the effect of a key press, on behalf of the user.
    ///
    /// Views with a caret support every edit. The default implementation appends inserted text and refuses all other
    /// edits.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if this edit is not possible.
    func edit(_ edit: TextEdit) throws(OperationError)
}

extension TextInput {
    /// Appends inserted text and refuses all other edits, because the view has no caret.
    public func edit(_ edit: TextEdit) throws(OperationError) {
        guard case .insertText(let text) = edit else {
            throw .notPossible("it has no caret, so text can only be typed")
        }
        try type(text, appending: true)
    }
}

/// A view that the user can scroll, such as a scroll view or an image view.
public protocol Scrollable: AnyObject {
    /// The point in the content that is shown in the upper-left corner, in the coordinate system that ``scroll(to:)``
    /// uses.
    var visibleOrigin: Point { get }

    /// Scrolls on behalf of the user.
    ///
    /// If the point is outside the bounds, scrolls to the nearest point within them.
    ///
    /// - Parameter point: The point to show in the upper-left corner. It must be finite.
    /// - Throws: ``OperationError/notPossible(_:)`` if the view cannot be scrolled.
    func scroll(to point: Point) throws(OperationError)
}

/// A view that the user can zoom, such as a scroll view or an image view.
public protocol Zoomable: AnyObject {
    /// The zoom scale, where 1 is the natural size.
    var zoomScale: Double { get }

    /// Zooms on behalf of the user.
    ///
    /// If the scale is outside the limits, zooms to the nearest limit.
    ///
    /// - Parameter scale: The zoom scale, where 1 is the natural size. It must be finite and greater than 0.
    /// - Throws: ``OperationError/notPossible(_:)`` if the view cannot be zoomed.
    func zoom(to scale: Double) throws(OperationError)
}

/// An object in which the user can go back, such as a navigation controller, a page view controller or a web view.
public protocol BackNavigating: AnyObject {
    /// Goes back one step on behalf of the user.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if there is nothing to go back to.
    func goBack() throws(OperationError)
}

/// An object in which the user can go forward, such as a page view controller or a web view.
public protocol ForwardNavigating: AnyObject {
    /// Goes forward one step on behalf of the user.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if there is nothing to go forward to.
    func goForward() throws(OperationError)
}

/// An object that shows web pages and stores a history of the visited pages, such as a web view.
public protocol WebNavigating: BackNavigating, ForwardNavigating {
    /// Loads a page on behalf of the user.
    ///
    /// The page is added to the history after the current page.
    ///
    /// - Parameter address: The URL of the page.
    /// - Throws: ``OperationError/notPossible(_:)`` if the address is not a valid URL.
    func load(_ address: String) throws(OperationError)
}
