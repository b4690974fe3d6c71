/// Structure that an interface defines, such as a method's parameters, a reply or a named type.
///
/// Types that `varlink-swift` generates conform to this protocol. A new value has empty fields: 0, `false`, an empty
/// string or collection, `nil`, or the first case of an enumeration.
public protocol JSONMessage: JSONReadable, JSONWritable, Sendable {
    /// Creates a value with empty fields.
    init()
}

extension JSONMessage {
    /// Creates a value and passes it to a closure that sets its fields.
    public static func with(_ configure: (inout Self) -> Void) -> Self {
        var message = Self()
        configure(&message)
        return message
    }
}

/// Parameters of a method. The type identifies the method.
public protocol MethodCall: JSONMessage {
    /// Reply to the call.
    associatedtype Reply: JSONMessage

    /// Type of the errors that the interface declares.
    associatedtype Refusal: InterfaceError & Equatable

    /// Name of the method without the interface, for example `GetInfo`.
    static var method: String { get }

    /// Fully qualified name of the method, for example `org.varlink.service.GetInfo`.
    static var qualifiedMethod: String { get }

    /// Whether the method is read-only, so that clients with read-only access may call it.
    static var isReadOnly: Bool { get }
}

/// Error that a Varlink interface declares.
public protocol InterfaceError: Error, Sendable {
    /// Creates an error from the error in a reply, or returns `nil` if the reply's error belongs to another interface,
    /// is unknown, or has different fields.
    init?(_ error: VarlinkError)

    /// Varlink error to send in a reply.
    var varlinkError: VarlinkError { get }
}

/// JSON text for the Varlink type `object`, which can hold any JSON value except null.
public struct RawJSON: JSONReadable, JSONWritable, Sendable, Equatable {
    /// JSON text in UTF-8.
    public let bytes: [UInt8]

    /// Creates an empty JSON object.
    public init() { bytes = Call.noParameters }

    /// Creates a value from JSON text.
    /// - Parameter bytes: A single JSON value in UTF-8.
    /// - Throws: ``JSONReadingError/message(_:)`` if the text is not JSON, or ``JSONReadingError/invalidParameter(_:)``
    ///   if it is `null`.
    public init(_ bytes: [UInt8]) throws(JSONReadingError) {
        var reader = JSONReader(bytes)
        self = try reader.readAll(Self.self)
    }

    /// Creates JSON text from a value.
    public init(_ value: some JSONWritable) throws(JSONWritingError) {
        bytes = try JSONText.write(value)
    }

    private init(checked bytes: [UInt8]) { self.bytes = bytes }

    /// Reads any value except null. Clients also accept null, because some servers send it.
    public static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Self {
        guard !reader.isStrict || reader.peek() != UInt8(ascii: "n") else {
            throw reader.mismatchError
        }
        return Self(checked: Array(reader.bytes[try reader.skipValue()]))
    }

    /// Writes the text.
    public func write(to writer: inout JSONWriter) { writer.writeRaw(bytes) }
}

/// Indirect storage for a field of a recursive type.
@propertyWrapper
public struct Boxed<Value: Sendable & Equatable>: Sendable, Equatable {
    private indirect enum Storage: Sendable, Equatable {
        case value(Value)
    }

    private var storage: Storage

    /// Creates storage with a value.
    public init(wrappedValue: Value) { storage = .value(wrappedValue) }

    /// Stored value.
    public var wrappedValue: Value {
        get {
            switch storage {
            case .value(let value): value
            }
        }
        set { storage = .value(newValue) }
    }
}
