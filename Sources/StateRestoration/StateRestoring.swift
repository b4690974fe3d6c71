/// An object that takes part in preservation and restoration.
///
/// The engine walks live objects through this protocol and through nothing else: view controllers
/// and views of ControllerKit conform to it, and so can any class of an existing program.
///
/// An object takes part only while ``RestorationNode/identifier`` of its ``restoration`` is set
/// (I1). Its ``encodeRestorableState(with:)`` runs once in a pass that records it (P8), its
/// ``decodeRestorableState(with:)`` once in a launch that found it, parents before their children,
/// and then its ``applicationFinishedRestoringState()`` (R1).
public protocol StateRestoring: AnyObject {
    /// The object's place in preservation: its identifier, its record, its marks.
    var restoration: RestorationNode { get }

    /// What sort of object this is.
    var restorationKind: RestorationKind { get }

    /// The object below whose path this one's path lies (I4): of a view controller its container or
    /// its presenter, of a view its view controller. Nil makes it a root.
    var restorationParent: (any StateRestoring)? { get }

    /// Hands over the objects directly below this one, identified or not, in their order.
    func forEachRestorationChild(_ body: (any StateRestoring) -> Void)

    /// Whether the object is told of by its class's name when it has neither an identifier nor a
    /// name in a storyboard. False of what is only a part of another: a controller's root view.
    var isListedByClass: Bool { get }

    /// Whether the object stands somewhere: below another, or in place of its own. One that was
    /// made for a launch and does not when that is over, and that nothing refers to, was not
    /// restored (R15). True unless an object knows better, as a view controller does.
    var hasPlace: Bool { get }

    /// Whether children with equal identifiers are told apart by their order (I3): true of
    /// navigation and split controllers.
    var numbersEqualChildren: Bool { get }

    /// The key under which the object encodes, as an array of references, the stack of its
    /// children, the bottom first. They are looked for in that order, and one that is not found
    /// cuts the stack: those above it are not looked for (R8).
    var restorationStackKey: StaticString? { get }

    /// Whether a storyboard gave the object a child of this identifier when its state was saved, and
    /// gives it none now. Then the child is not made for its record, which stays as unclaimed (R16).
    ///
    /// - Parameters:
    ///   - identifier: the child's identifier.
    ///   - coder: has what was saved of the object.
    func hasLostStoryboardChild(
        _ identifier: RestorationIdentifier, savedBy coder: StateDecoder
    ) -> Bool

    /// The object that belongs directly below this one under an identifier that was recorded: the one
    /// that is there, or one that is made now and is among the children from then on. Asked for
    /// objects that are neither controllers nor views, before the children are looked through for it (R7).
    ///
    /// - Returns: nil if this object makes none.
    /// - Throws: why it makes none, as a restoration class does (R3).
    func restorationChild(_ identifier: RestorationIdentifier) throws -> (any StateRestoring)?

    /// Makes sure that the objects below this one are there, because they are about to be looked
    /// for: a view controller loads its view (R1, R10).
    func loadRestorationChildren()

    /// Hands over the objects that come to lie below this one when it is loaded, and are there
    /// before: who only looks for one loads nothing (P21).
    func forEachWaitingChild(_ body: (any StateRestoring) -> Void)

    /// Hands over the ``Restorable`` properties, those of a superclass first; called in both
    /// directions, before the object encodes or decodes what else it saves.
    func restorables(_ visitor: inout some RestorableVisitor)

    /// Stores the object's state. An object that throws keeps its last record (P9).
    ///
    /// A class that others are made of by inheritance has this method and the next, if only without a
    /// statement: it is what theirs override. Without, those of subclasses are not called.
    func encodeRestorableState(with coder: StateEncoder) throws

    /// Takes the object's state back. What it throws is reported as `decode-failed` (R15).
    func decodeRestorableState(with coder: StateDecoder) throws

    /// Every object of the scene has decoded its state (R1).
    func applicationFinishedRestoringState()
}

extension StateRestoring {
    /// A registered object.
    public var restorationKind: RestorationKind { .object }
    /// No parent: the object is a root.
    public var restorationParent: (any StateRestoring)? { nil }
    /// No children.
    public func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {}
    /// True: the object stands for itself.
    public var isListedByClass: Bool { true }
    /// True: the object does not know.
    public var hasPlace: Bool { true }
    /// False: of equal siblings only one is preserved.
    public var numbersEqualChildren: Bool { false }
    /// Nil: the children are no stack.
    public var restorationStackKey: StaticString? { nil }
    /// False: no storyboard gives it any.
    public func hasLostStoryboardChild(
        _ identifier: RestorationIdentifier, savedBy coder: StateDecoder
    ) -> Bool { false }
    /// Nil: the children are there, or come otherwise.
    public func restorationChild(
        _ identifier: RestorationIdentifier
    ) throws -> (any StateRestoring)? { nil }
    /// Does nothing.
    public func loadRestorationChildren() {}
    /// No children that wait.
    public func forEachWaitingChild(_ body: (any StateRestoring) -> Void) {}
    /// No properties.
    public func restorables(_ visitor: inout some RestorableVisitor) {}
    /// Stores nothing: what there is are ``Restorable`` properties.
    public func encodeRestorableState(with coder: StateEncoder) throws {}
    /// Takes nothing back.
    public func decodeRestorableState(with coder: StateDecoder) throws {}
    /// Does nothing.
    public func applicationFinishedRestoringState() {}

    /// Marks the object: the next pass encodes it again (P14).
    public func invalidateRestorableState() {
        restoration.invalidate()
    }
}
