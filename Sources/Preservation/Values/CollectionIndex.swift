/// Declaration of an index that finds elements of a collection by one of their properties.
///
/// ```swift
/// let users = try await application.collection("users", of: User.self, indexes: [.by(\.email)])
/// let user = try await users.first(where: \.email, equals: "ann@example.org")
/// ```
///
/// The index is created during the launch and is updated by every change. It is never saved.
public struct CollectionIndex<Element: Codable & Identifiable & Sendable>: Sendable
where Element.ID: CustomStringConvertible & Sendable {
    let keyPath: any AnyKeyPath & Sendable
    let makePropertyIndex: @Sendable () -> any ElementIndex<Element>

    /// Creates an index of the property at a key path. Several elements can have the same property value.
    public static func by<Property: Hashable & Sendable>(
        _ keyPath: any KeyPath<Element, Property> & Sendable
    ) -> CollectionIndex {
        CollectionIndex(keyPath: keyPath) { PropertyIndex(keyPath) }
    }
}

/// Index of a collection's elements.
protocol ElementIndex<Element>: AnyObject {
    associatedtype Element: Codable & Identifiable & Sendable
    where Element.ID: CustomStringConvertible & Sendable

    /// Adds an element to the index.
    func insert(_ storedElement: StoredElement<Element>, _ element: Element)
    /// Removes an element from the index.
    func remove(_ storedElement: StoredElement<Element>, _ element: Element)
}

/// Index of a collection's elements by a property.
final class PropertyIndex<
    Element: Codable & Identifiable & Sendable, Property: Hashable & Sendable
>: ElementIndex where Element.ID: CustomStringConvertible & Sendable {
    /// Elements with the same property value. A single element is stored without a set, which saves memory.
    private enum Members {
        case one(StoredElement<Element>)
        case several(Set<StoredElement<Element>>)
    }

    private let keyPath: KeyPath<Element, Property>
    private var members: [Property: Members] = [:]

    init(_ keyPath: KeyPath<Element, Property>) {
        self.keyPath = keyPath
    }

    /// Returns the elements whose property equals a value, in no particular order.
    func elements(equal value: Property) -> any Collection<StoredElement<Element>> {
        switch members[value] {
        case nil: []
        case .one(let storedElement): [storedElement]
        case .several(let elements): elements
        }
    }

    func insert(_ storedElement: StoredElement<Element>, _ element: Element) {
        let property = element[keyPath: keyPath]
        // A value that does not equal itself, such as NaN, is never found.
        guard property == property else { return }
        switch members.removeValue(forKey: property) {
        case nil: members[property] = .one(storedElement)
        case .one(let other): members[property] = .several([other, storedElement])
        case .several(var elements):
            elements.insert(storedElement)
            members[property] = .several(elements)
        }
    }

    func remove(_ storedElement: StoredElement<Element>, _ element: Element) {
        let property = element[keyPath: keyPath]
        // A value that does not equal itself, such as NaN, is never found.
        guard property == property else { return }
        guard case .several(var elements) = members.removeValue(forKey: property) else { return }
        elements.remove(storedElement)
        members[property] =
            if elements.count == 1, let last = elements.first {
                .one(last)
            } else {
                .several(elements)
            }
    }
}
