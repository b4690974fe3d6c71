/// An object that takes part in preservation and restoration.
///
/// The engine accesses live objects only through this protocol. The view controllers and views of
/// ControllerKit conform to it, and so can any class of an existing program.
///
/// An object takes part only while the ``RestorationNode/identifier`` of its ``restoration`` is set (I1). A
/// pass that records the object calls ``encodeRestorableState(with:)`` once (P8). A launch that finds the
/// object calls ``decodeRestorableState(with:)`` once, for parents before their children. It then calls
/// ``applicationFinishedRestoringState()`` (R1).
public protocol StateRestoring: AnyObject {
    /// Preservation data of the object: its identifier, its record and its marks.
    var restoration: RestorationNode { get }

    /// Kind of the object.
    var restorationKind: RestorationKind { get }

    /// Object whose path is the beginning of this object's path (I4), or `nil` if this object is a root.
    ///
    /// The parent of a view controller is its container or its presenter. The parent of a view is its view
    /// controller.
    var restorationParent: (any StateRestoring)? { get }

    /// Calls a closure with each object directly below this one, in order, with or without an identifier.
    func forEachRestorationChild(_ body: (any StateRestoring) -> Void)

    /// Whether listings show the object by the name of its class if it has no identifier and no storyboard
    /// name.
    ///
    /// It is `false` for an object that is only a part of another one, such as a controller's root view.
    var isListedByClass: Bool { get }

    /// Whether the object is linked to the object tree, either below another object or as a root.
    ///
    /// An object made for a launch counts as not restored if it is not linked when the launch ends and
    /// nothing refers to it (R15). The default is `true`. View controllers provide their own value.
    var hasPlace: Bool { get }

    /// Whether children with equal identifiers are distinguished by their order (I3).
    ///
    /// It is `true` for navigation and split controllers.
    var numbersEqualChildren: Bool { get }

    /// Key under which the object encodes its stack of children, or `nil` if it has no stack.
    ///
    /// The value is an array of references, from the bottom to the top of the stack. The launch searches for
    /// the children in this order. If one is not found, the stack is cut there: the launch does not search
    /// for the children above it (R8).
    var restorationStackKey: StaticString? { get }

    /// Returns whether a child came from a storyboard when the object was saved, but no longer does.
    ///
    /// If so, the child is not made for its record, which remains as an unclaimed record (R16).
    ///
    /// - Parameters:
    ///   - identifier: the child's identifier.
    ///   - coder: the saved state of the object.
    func hasLostStoryboardChild(
        _ identifier: RestorationIdentifier, savedBy coder: StateDecoder
    ) -> Bool

    /// Returns the object that belongs directly below this one under a recorded identifier.
    ///
    /// The object exists already, or this method makes it, in which case it is one of the children
    /// afterwards. The launch calls the method for objects that are neither controllers nor views, before it
    /// searches the children (R7).
    ///
    /// - Returns: the object, or `nil` if this object makes none.
    /// - Throws: the reason why there is no object, in the same way as a restoration class (R3).
    func restorationChild(_ identifier: RestorationIdentifier) throws -> (any StateRestoring)?

    /// Loads the objects below this one before the launch searches for them.
    ///
    /// A view controller loads its view (R1, R10).
    func loadRestorationChildren()

    /// Calls a closure with each object that exists already but moves below this one only when this one
    /// loads.
    ///
    /// A search that must not load anything can find such objects in this way (P21).
    func forEachWaitingChild(_ body: (any StateRestoring) -> Void)

    /// Passes the ``Restorable`` properties to a visitor, the properties of a superclass first.
    ///
    /// It is called for saving and for restoring, before the object encodes or decodes other values.
    func restorables(_ visitor: inout some RestorableVisitor)

    /// Stores the object's state. If it throws, the object's last record is kept (P9).
    ///
    /// A class with subclasses must implement this method and ``decodeRestorableState(with:)``, even with an
    /// empty body. Otherwise, the implementations in subclasses override nothing and are not called.
    func encodeRestorableState(with coder: StateEncoder) throws

    /// Restores the object's state. An error that it throws is reported as `decode-failed` (R15).
    func decodeRestorableState(with coder: StateDecoder) throws

    /// Called when every object of the scene has decoded its state (R1).
    func applicationFinishedRestoringState()
}

extension StateRestoring {
    /// Returns the kind of a registered object.
    public var restorationKind: RestorationKind { .object }
    /// Returns `nil`: the object is a root.
    public var restorationParent: (any StateRestoring)? { nil }
    /// Does nothing: the object has no children.
    public func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {}
    /// Returns `true`: the object is not a part of another one.
    public var isListedByClass: Bool { true }
    /// Returns `true`: by default, an object counts as linked.
    public var hasPlace: Bool { true }
    /// Returns `false`: only one of several siblings with equal identifiers is preserved.
    public var numbersEqualChildren: Bool { false }
    /// Returns `nil`: the children are not a stack.
    public var restorationStackKey: StaticString? { nil }
    /// Returns `false`: no storyboard provides children.
    public func hasLostStoryboardChild(
        _ identifier: RestorationIdentifier, savedBy coder: StateDecoder
    ) -> Bool { false }
    /// Returns `nil`: the children exist already or are made in another way.
    public func restorationChild(
        _ identifier: RestorationIdentifier
    ) throws -> (any StateRestoring)? { nil }
    /// Does nothing.
    public func loadRestorationChildren() {}
    /// Does nothing: no objects move below this one when it loads.
    public func forEachWaitingChild(_ body: (any StateRestoring) -> Void) {}
    /// Does nothing: the object has no ``Restorable`` properties.
    public func restorables(_ visitor: inout some RestorableVisitor) {}
    /// Does nothing: the object's state consists of its ``Restorable`` properties.
    public func encodeRestorableState(with coder: StateEncoder) throws {}
    /// Does nothing: the object has no other state to restore.
    public func decodeRestorableState(with coder: StateDecoder) throws {}
    /// Does nothing.
    public func applicationFinishedRestoringState() {}

    /// Marks the object, so that the next pass encodes it again (P14).
    public func invalidateRestorableState() {
        restoration.invalidate()
    }
}
