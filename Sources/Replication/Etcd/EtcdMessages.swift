import ExactText
import FoundationEssentials

// Messages of etcd's JSON gateway: `rpc.proto` and `kv.proto` of etcd 3.4, in the JSON mapping of proto3. The
// mapping encodes 64-bit numbers as strings and bytes as base64, and omits zero and empty values.

/// A 64-bit number, encoded as a string in JSON.
package struct EtcdNumber: Codable, Sendable, Hashable, ExpressibleByIntegerLiteral {
    package var value: Int64

    package init(_ value: Int64) { self.value = value }
    package init(integerLiteral value: Int64) { self.value = value }

    /// The number as a revision, limited to 0 through `Int64.max - 1`, because a broken server may send any number and
    /// callers compute the next revision.
    package var revision: Int64 { min(max(value, 0), .max - 1) }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let number = Int64(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a number")
        }
        value = number
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(String(value))
    }
}

/// Header of a reply.
struct EtcdHeader: Decodable, Sendable {
    var revision: EtcdNumber?
}

/// A reply from etcd.
protocol EtcdReply: Decodable {
    /// Error that a server sends in a stream instead of a reply, or `nil` if there is none.
    var refusal: EtcdRefusal? { get }
}

extension EtcdReply {
    var refusal: EtcdRefusal? { nil }
}

/// A key with its value.
package struct EtcdEntry: Decodable, Sendable {
    private var key: Data
    private var value: Data?
    private var create_revision: EtcdNumber?
    private var mod_revision: EtcdNumber?
    private var lease: EtcdNumber?

    /// Revision that created the key.
    package var createRevision: Int64 { create_revision?.revision ?? 0 }
    /// Revision of the last change of the key.
    package var modRevision: Int64 { mod_revision?.revision ?? 0 }
    /// Number of the lease that the key is attached to, or 0 for none.
    package var leaseNumber: Int64 { lease?.value ?? 0 }
    /// The key as a string.
    package var name: String { String(decoding: key, as: UTF8.self) }
    /// The value's bytes.
    package var bytes: [UInt8] { value.map { Array($0) } ?? [] }
}

/// Change of a key.
package struct EtcdChange: Sendable {
    package let key: String
    /// Entry of the key, or `nil` if the key was deleted.
    package let entry: EtcdEntry?
    /// Revision of the change.
    package let revision: Int64
}

extension EtcdChange {
    /// Creates a change from the current entry of a key.
    init(_ entry: EtcdEntry) {
        self.init(key: entry.name, entry: entry, revision: entry.modRevision)
    }
}

/// `RangeRequest`.
package struct EtcdRange: Encodable, Sendable {
    var key: Data
    var range_end: Data?
    var limit: EtcdNumber?
    var revision: EtcdNumber?
    private var sort_order: String?
    private var sort_target: String?
    private var keys_only: Bool?

    /// Creates a range of one key, or, with an end, of the keys from `key` up to but not including the end.
    package init(_ key: String, to end: String? = nil, limit: Int = 0, revision: Int64 = 0) {
        self.key = Data(key.utf8)
        range_end = end.map { Data($0.utf8) }
        if limit > 0 { self.limit = EtcdNumber(Int64(limit)) }
        if revision > 0 { self.revision = EtcdNumber(revision) }
    }

    /// Returns a range whose reply contains, of all keys with a prefix, only the one that was changed last.
    ///
    /// The reply contains no value. Its count is the number of all keys with the prefix.
    static func newestKey(below prefix: String) -> EtcdRange {
        var range = EtcdRange(prefix, to: prefix.endOfPrefix, limit: 1)
        (range.sort_order, range.sort_target, range.keys_only) = ("DESCEND", "MOD", true)
        return range
    }
}

/// `RangeResponse`.
package struct EtcdRangeReply: EtcdReply, Sendable {
    private var kvs: [EtcdEntry]?
    private var more: Bool?
    private var count: EtcdNumber?
    private let header: EtcdHeader?

    private enum CodingKeys: CodingKey { case header, kvs, more, count }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        kvs = try container.decodeIfPresent([EtcdEntry].self, forKey: .kvs)
        more = try container.decodeIfPresent(Bool.self, forKey: .more)
        count = try container.decodeIfPresent(EtcdNumber.self, forKey: .count)
        header = try container.decodeIfPresent(EtcdHeader.self, forKey: .header)
    }

    /// Entries in the order of their key's bytes.
    package var entries: [EtcdEntry] { kvs ?? [] }
    /// Number of keys in the range, regardless of the limit.
    var keyCount: Int64 { count?.value ?? 0 }
    /// Whether the range has more keys than the limit.
    package var hasMore: Bool { more ?? false }
    /// Current revision of the key-value store.
    package var storeRevision: Int64 { header?.revision?.revision ?? 0 }
}

/// `Compare`: a condition of a transaction.
package struct EtcdCompare: Encodable, Sendable {
    private var key: Data
    private var target: String
    private var result = "EQUAL"
    private var create_revision: EtcdNumber?
    private var value: Data?

    /// Returns a comparison of a key's creation revision, which is 0 if the key does not exist.
    package static func createRevision(of key: String, is revision: Int64) -> EtcdCompare {
        EtcdCompare(
            key: Data(key.utf8), target: "CREATE", create_revision: EtcdNumber(revision))
    }

    /// Returns a condition that a key exists.
    static func exists(_ key: String) -> EtcdCompare {
        EtcdCompare(
            key: Data(key.utf8), target: "CREATE", result: "GREATER", create_revision: 0)
    }

    /// Returns a comparison of a key's value.
    package static func value(of key: String, is value: [UInt8]) -> EtcdCompare {
        EtcdCompare(key: Data(key.utf8), target: "VALUE", value: Data(value))
    }
}

/// `RequestOp`: an operation of a transaction.
package struct EtcdOperation: Encodable, Sendable {
    private struct Put: Encodable, Sendable {
        var key: Data
        var value: Data
        var lease: EtcdNumber?
    }
    private struct Deletion: Encodable, Sendable {
        var key: Data
        var range_end: Data?
    }

    private var request_put: Put?
    private var request_delete_range: Deletion?
    private var request_range: EtcdRange?
    /// Returns an operation that writes a key, attached to a lease, or permanent if `lease` is 0.
    package static func put(_ key: String, _ value: [UInt8], lease: Int64 = 0) -> EtcdOperation {
        EtcdOperation(
            request_put: Put(
                key: Data(key.utf8), value: Data(value), lease: lease == 0 ? nil : EtcdNumber(lease)
            ))
    }

    /// Returns an operation that deletes a key, or the keys from `key` up to but not including the end.
    package static func delete(_ key: String, to end: String? = nil) -> EtcdOperation {
        EtcdOperation(
            request_delete_range: Deletion(
                key: Data(key.utf8), range_end: end.map { Data($0.utf8) }))
    }

    /// Returns an operation that reads a range of keys.
    package static func range(_ range: EtcdRange) -> EtcdOperation {
        EtcdOperation(request_range: range)
    }
}

/// `TxnRequest`.
package struct EtcdTransaction: Encodable, Sendable {
    /// Conditions of the transaction.
    package var compare: [EtcdCompare]
    /// Operations if all conditions hold.
    package var success: [EtcdOperation]
    /// Operations if a condition does not hold.
    package var failure: [EtcdOperation]

    /// Creates a transaction.
    package init(
        if compare: [EtcdCompare], then success: [EtcdOperation],
        otherwise failure: [EtcdOperation] = []
    ) {
        self.compare = compare
        self.success = success
        self.failure = failure
    }
}

/// `TxnResponse`.
package struct EtcdTransactionReply: EtcdReply, Sendable {
    private struct Operation: Decodable, Sendable {
        var response_range: EtcdRangeReply?
    }

    /// Whether all conditions held.
    package let succeeded: Bool
    /// Current revision of the key-value store.
    package var storeRevision: Int64 { header?.revision?.revision ?? 0 }
    private let header: EtcdHeader?
    private let responses: [Operation]

    private enum CodingKeys: CodingKey { case header, succeeded, responses }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        succeeded = try container.decodeIfPresent(Bool.self, forKey: .succeeded) ?? false
        header = try container.decodeIfPresent(EtcdHeader.self, forKey: .header)
        responses = try container.decodeIfPresent([Operation].self, forKey: .responses) ?? []
    }

    /// Entries that the transaction read, in the order of its operations.
    package var entries: [EtcdEntry] { responses.flatMap { $0.response_range?.entries ?? [] } }
}

/// `LeaseGrantRequest`.
struct EtcdLeaseGrant: Encodable {
    var TTL: EtcdNumber
}

/// `LeaseKeepAliveRequest` and `LeaseRevokeRequest`.
struct EtcdLeaseNumber: Encodable {
    var ID: EtcdNumber
}

/// `LeaseGrantResponse`.
struct EtcdLeaseGrantReply: EtcdReply {
    var ID: EtcdNumber
    var TTL: EtcdNumber
}

/// A message in a stream, which has either a `result` or an `error`.
struct EtcdStreamed<Result: Decodable>: Decodable {
    var result: Result?
    var error: EtcdRefusal?
}

extension EtcdStreamed: EtcdReply {
    var refusal: EtcdRefusal? { error }
}

/// `LeaseKeepAliveResponse`.
struct EtcdKeepAliveReply: Decodable {
    /// Remaining time in seconds, or `nil` if the lease has expired.
    var TTL: EtcdNumber?
}

/// A reply whose contents are ignored.
struct EtcdNothing: EtcdReply {}

/// Error that a server sends instead of a reply, or in a stream, with a gRPC status.
struct EtcdRefusal: Decodable {
    var error: String?
    var message: String?
    var code: Int?
    var grpc_code: Int?
}

/// `WatchRequest`.
struct EtcdWatch: Encodable {
    struct Create: Encodable {
        var key: Data
        var range_end: Data
        var start_revision: EtcdNumber
    }
    var create_request: Create
}

/// `WatchResponse`.
struct EtcdWatchReply: Decodable {
    struct Event: Decodable {
        var type: String?
        var kv: EtcdEntry
    }
    var canceled: Bool?
    var cancel_reason: String?
    var events: [Event]?
}

/// `AuthenticateRequest`.
struct EtcdAuthentication: Encodable {
    var name: String
    var password: String
}

/// `AuthenticateResponse`.
struct EtcdToken: EtcdReply {
    var token: String
}
