/// An object that takes part in preservation and restoration.
///
/// The engine accesses live objects only through this protocol. ControllerKit's view controllers and views conform to
/// it, and so can any class in an existing program.
///
/// An object takes part only while the ``RestorationNode/identifier`` of its ``restoration`` is set (I1). A pass that
/// records the object calls ``encodeRestorableState(with:)`` once (P8). A launch that finds the object calls
/// ``decodeRestorableState(with:)`` once, for parents before their children. When all objects have decoded their
/// state, the launch calls ``applicationFinishedRestoringState()`` (R1).
public protocol StateRestoring: AnyObject {
    /// The object's preservation data, such as its identifier.
    var restoration: RestorationNode { get }

    /// Kind of the object.
    var restorationKind: RestorationKind { get }

    /// Parent of this object (I4), or `nil` if this object is a root. An object's path begins with the path of its
    /// parent.
    ///
    /// The parent of a view controller is its container or its presenter. The parent of a view is its view
    /// controller.
    var restorationParent: (any StateRestoring)? { get }

    /// Calls a closure with each child of this object, in order, whether or not the child has an identifier.
    func forEachRestorationChild(_ body: (any StateRestoring) -> Void)

    /// Whether listings show the object under its class name if it has neither an identifier nor a storyboard
    /// identifier.
    ///
    /// The value is `false` for an object that is only a part of another object, such as a controller's root view.
    var isListedByClass: Bool { get }

    /// Whether the object is linked to the object tree, either below another object or as a root.
    ///
    /// An object that was created during a launch counts as not restored if it is not linked at the end of the launch
    /// and no object refers to it (R15). The default is `true`, but view controllers provide their own value.
    var isInObjectTree: Bool { get }

    /// Whether children with equal identifiers are distinguished by their order (I3).
    ///
    /// The value is `true` for navigation and split controllers.
    var allowsDuplicateChildIdentifiers: Bool { get }

    /// Key under which the object encodes its stack of children, or `nil` if the object has no stack.
    ///
    /// The value is an array of references, from the bottom to the top of the stack. The launch searches for the
    /// children in this order. If a child is not found, the launch does not search for the children above it (R8).
    var restorationStackKey: StaticString? { get }

    /// Returns whether a child came from the storyboard when this object was saved, but is no longer listed there.
    ///
    /// In this case, the child is not created, and its record remains as an unclaimed record (R16).
    ///
    /// - Parameters:
    ///   - identifier: The child's identifier.
    ///   - coder: A decoder for this object's saved state.
    func hasLostStoryboardChild(
        _ identifier: RestorationIdentifier, savedBy coder: StateDecoder
    ) -> Bool

    /// Finds or creates the child with the given recorded identifier.
    ///
    /// A new object must be a child of this object when the method returns. A launch calls the method only for objects
    /// that are neither controllers nor views, and before it searches the existing children (R7).
    ///
    /// - Returns: The object, or `nil` if there is no object for the identifier.
    /// - Throws: An error, such as a ``RestorationError``, if there is no object to return (R3). The report contains
    ///   the error.
    func restorationChild(_ identifier: RestorationIdentifier) throws -> (any StateRestoring)?

    /// Loads this object's children before a launch searches for them.
    ///
    /// For example, a view controller loads its view (R1, R10).
    func loadRestorationChildren()

    /// Calls a closure with each existing object that becomes a child of this object only when
    /// ``loadRestorationChildren()`` is called.
    ///
    /// Searches that must not load anything use this method to find such objects (P21).
    func forEachPendingChild(_ body: (any StateRestoring) -> Void)

    /// Passes this object's ``Restorable`` properties to a visitor, beginning with the properties of the superclass.
    ///
    /// The method is called to save and to restore the properties, before the object encodes or decodes other values.
    func restorables(_ visitor: inout some RestorableVisitor)

    /// Stores the object's state.
    ///
    /// If the method throws an error, the object's last record is retained (P9).
    ///
    /// A class with subclasses must implement this method and ``decodeRestorableState(with:)``, if only with empty
    /// bodies. Otherwise, the implementations in subclasses override nothing and are not called.
    func encodeRestorableState(with coder: StateEncoder) throws

    /// Restores the object's state.
    ///
    /// An error that the method throws is reported as `decode-failed` (R15).
    func decodeRestorableState(with coder: StateDecoder) throws

    /// Called when every object in the scene has decoded its state (R1).
    func applicationFinishedRestoringState()
}

extension StateRestoring {
    /// The default is ``RestorationKind/object``.
    public var restorationKind: RestorationKind { .object }
    /// The default is `nil`, which is right for a root.
    public var restorationParent: (any StateRestoring)? { nil }
    /// Does nothing. Implement this method for an object that has children.
    public func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {}
    /// The default is `true`.
    public var isListedByClass: Bool { true }
    /// The default is `true`.
    public var isInObjectTree: Bool { true }
    /// The default is `false`, so that only one of several siblings with equal identifiers is preserved.
    public var allowsDuplicateChildIdentifiers: Bool { false }
    /// The default is `nil`, which is right for an object without a stack of children.
    public var restorationStackKey: StaticString? { nil }
    /// Default implementation for an object whose children do not come from storyboards. Returns `false`.
    public func hasLostStoryboardChild(
        _ identifier: RestorationIdentifier, savedBy coder: StateDecoder
    ) -> Bool { false }
    /// Default implementation for an object whose children already exist or are created in another way. Returns `nil`.
    public func restorationChild(
        _ identifier: RestorationIdentifier
    ) throws -> (any StateRestoring)? { nil }
    /// Does nothing.
    public func loadRestorationChildren() {}
    /// Default implementation for an object without pending children. Does nothing.
    public func forEachPendingChild(_ body: (any StateRestoring) -> Void) {}
    /// Default implementation for an object without ``Restorable`` properties. Does nothing.
    public func restorables(_ visitor: inout some RestorableVisitor) {}
    /// Does nothing, because the ``Restorable`` properties are encoded separately.
    public func encodeRestorableState(with coder: StateEncoder) throws {}
    /// Does nothing, because the ``Restorable`` properties are decoded separately.
    public func decodeRestorableState(with coder: StateDecoder) throws {}
    /// Does nothing.
    public func applicationFinishedRestoringState() {}

    /// Marks the object, so that the next pass encodes it (P14).
    public func invalidateRestorableState() {
        restoration.invalidate()
    }
}
