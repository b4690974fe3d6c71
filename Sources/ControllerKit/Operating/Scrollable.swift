/// What a person moves about in: a scroll view, a picture.
public protocol Scrollable: AnyObject {
    /// A person scrolls. Beyond the bounds it goes as far as they reach.
    ///
    /// - Parameter point: what comes to the upper left corner; finite.
    /// - Throws: ``OperationError/notPossible(_:)`` if it cannot be scrolled.
    func scroll(to point: Point) throws(OperationError)
}
