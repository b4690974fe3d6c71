/// The identifiers from a root to an object, written `nav/parent/child1/textField` (I2).
public struct RestorationPath: Hashable, Sendable {
    /// The most bytes that a written path has (I2).
    public static let maximumBytes = 4096

    /// The identifiers, the root's first. Never empty in a path that belongs to an object.
    public let components: [RestorationIdentifier]

    /// A path of these identifiers, the root's first.
    public init(_ components: [RestorationIdentifier]) {
        self.components = components
    }

    /// The path of an object below this one.
    public func appending(_ identifier: RestorationIdentifier) -> RestorationPath {
        RestorationPath(components + [identifier])
    }
}

extension RestorationPath: CustomStringConvertible {
    /// The identifiers with a `/` between them.
    public var description: String {
        components.map(\.text).joined(separator: "/")
    }
}
