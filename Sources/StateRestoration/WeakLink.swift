import CSwiftRuntime

/// A weak reference that does not slow down other references to the object.
///
/// Like a `weak` variable, a link does not keep its object alive, and it is empty as soon as the object's `deinit`
/// begins. A `weak` variable also moves the object's reference count to a side table, so that every later retain and
/// release of the object is slower. A link has no such cost, but keeps the object's memory allocated after the object
/// has been deinitialized, until the link changes.
package struct WeakLink<Object: AnyObject> {
    /// Reference that keeps the memory at ``address`` allocated. It is never read.
    @usableFromInline unowned var allocation: Object?
    /// Address of the object, which may have been deinitialized.
    @usableFromInline var address: Unmanaged<Object>?

    /// Creates a link to an object, or an empty link.
    @inlinable package init(to object: Object? = nil) { self.object = object }

    /// Object to which the link refers, or `nil` if the link is empty.
    @inlinable package var object: Object? {
        get {
            guard let address, swift_tryRetain(address.toOpaque()) != nil else { return nil }
            return address.takeRetainedValue()
        }
        set {
            allocation = newValue
            address = newValue.map(Unmanaged.passUnretained)
        }
    }

    /// Returns whether the link refers to the given object.
    @inlinable package func refers(to object: Object) -> Bool {
        address?.toOpaque() == Unmanaged.passUnretained(object).toOpaque()
    }
}

/// A weak link to an object that takes part in preservation.
struct ObjectLink {
    private var link = WeakLink<AnyObject>()
    /// Object to which the link refers. It must not be accessed after it has been deallocated.
    private unowned(unsafe) var restoringObject: (any StateRestoring)?

    /// Creates a link to an object, or an empty link.
    init(_ object: (any StateRestoring)? = nil) { self.object = object }

    /// Object to which the link refers, or `nil` if the link is empty.
    var object: (any StateRestoring)? {
        get { link.object.flatMap { withExtendedLifetime($0) { restoringObject } } }
        set {
            link.object = newValue
            restoringObject = newValue
        }
    }

    /// Returns whether the link refers to the given object.
    func refers(to object: any StateRestoring) -> Bool { link.refers(to: object) }
}
