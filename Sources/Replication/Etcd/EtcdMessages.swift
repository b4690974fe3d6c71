import ExactText
import FoundationEssentials

// The messages of etcd's JSON gateway: `rpc.proto` and `kv.proto` of etcd 3.4, by the JSON mapping of
// proto3. Numbers of 64 bits are texts, bytes are base64, and what is zero or empty is left out.

/// A number of 64 bits, which JSON has as a text.
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

/// What each answer begins with.
struct EtcdHeader: Decodable, Sendable {
    /// Tells the servers of one cluster from others.
    var cluster_id: String?
    var revision: EtcdNumber?
}

/// An answer.
protocol EtcdReply: Decodable {
    /// What it begins with; nil: nothing.
    var header: EtcdHeader? { get }
    /// What the server says in its place, within a stream.
    var refusal: EtcdRefusal? { get }
}

extension EtcdReply {
    var header: EtcdHeader? { nil }
    var refusal: EtcdRefusal? { nil }
}

/// A key with its value.
package struct EtcdEntry: Decodable, Sendable {
    private var key: Data
    private var value: Data?
    private var create_revision: EtcdNumber?
    private var mod_revision: EtcdNumber?
    private var lease: EtcdNumber?

    /// The revision that made the key.
    package var createRevision: Int64 { create_revision?.revision ?? 0 }
    /// The revision that changed it last.
    package var modRevision: Int64 { mod_revision?.revision ?? 0 }
    /// The lease that it goes with; 0: none.
    package var leaseNumber: Int64 { lease?.value ?? 0 }
    /// The key as text.
    package var name: String { String(decoding: key, as: UTF8.self) }
    /// The value's bytes.
    package var bytes: [UInt8] { value.map { Array($0) } ?? [] }
}

/// What became of a key.
package struct EtcdChange: Sendable {
    package let key: String
    /// Nil: it is gone.
    package let entry: EtcdEntry?
    /// The revision that changed it.
    package let revision: Int64
}

extension EtcdChange {
    /// A key has this entry now.
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

    /// One key, or, with an end, those from it to before that.
    package init(_ key: String, to end: String? = nil, limit: Int = 0, revision: Int64 = 0) {
        self.key = Data(key.utf8)
        range_end = end.map { Data($0.utf8) }
        if limit > 0 { self.limit = EtcdNumber(Int64(limit)) }
        if revision > 0 { self.revision = EtcdNumber(revision) }
    }
}

/// `RangeResponse`.
package struct EtcdRangeReply: EtcdReply, Sendable {
    private var kvs: [EtcdEntry]?
    private var more: Bool?
    let header: EtcdHeader?

    private enum CodingKeys: CodingKey { case header, kvs, more }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        kvs = try container.decodeIfPresent([EtcdEntry].self, forKey: .kvs)
        more = try container.decodeIfPresent(Bool.self, forKey: .more)
        header = try container.decodeIfPresent(EtcdHeader.self, forKey: .header)
    }

    /// The keys, in the order of their bytes.
    package var entries: [EtcdEntry] { kvs ?? [] }
    /// Whether there are more than the limit.
    package var hasMore: Bool { more ?? false }
    /// The revision of the whole store.
    package var storeRevision: Int64 { header?.revision?.revision ?? 0 }
}

/// `Compare`: a condition of a transaction.
package struct EtcdCompare: Encodable, Sendable {
    private var key: Data
    private var target: String
    private var result = "EQUAL"
    private var create_revision: EtcdNumber?
    private var value: Data?

    /// A key was made by a revision; 0: there is no such key.
    package static func createRevision(of key: String, is revision: Int64) -> EtcdCompare {
        EtcdCompare(
            key: Data(key.utf8), target: "CREATE", create_revision: EtcdNumber(revision))
    }

    /// A key has a value.
    package static func value(of key: String, is value: [UInt8]) -> EtcdCompare {
        EtcdCompare(key: Data(key.utf8), target: "VALUE", value: Data(value))
    }
}

/// `RequestOp`: what a transaction does.
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
    /// Gives a key a value, for as long as the lease lasts; 0: for good.
    package static func put(_ key: String, _ value: [UInt8], lease: Int64 = 0) -> EtcdOperation {
        EtcdOperation(
            request_put: Put(
                key: Data(key.utf8), value: Data(value), lease: lease == 0 ? nil : EtcdNumber(lease)
            ))
    }

    /// Removes a key, or those from it to before the end.
    package static func delete(_ key: String, to end: String? = nil) -> EtcdOperation {
        EtcdOperation(
            request_delete_range: Deletion(
                key: Data(key.utf8), range_end: end.map { Data($0.utf8) }))
    }

    /// Reads.
    package static func range(_ range: EtcdRange) -> EtcdOperation {
        EtcdOperation(request_range: range)
    }
}

/// `TxnRequest`.
package struct EtcdTransaction: Encodable, Sendable {
    /// The conditions.
    package var compare: [EtcdCompare]
    /// The operations if all of them hold.
    package var success: [EtcdOperation]
    /// The operations if one does not.
    package var failure: [EtcdOperation]

    /// A transaction.
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
    /// The revision of the whole store.
    package var storeRevision: Int64 { header?.revision?.revision ?? 0 }
    let header: EtcdHeader?
    private let responses: [Operation]

    private enum CodingKeys: CodingKey { case header, succeeded, responses }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        succeeded = try container.decodeIfPresent(Bool.self, forKey: .succeeded) ?? false
        header = try container.decodeIfPresent(EtcdHeader.self, forKey: .header)
        responses = try container.decodeIfPresent([Operation].self, forKey: .responses) ?? []
    }

    /// The entries that the transaction read, in the order of its operations.
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
    var header: EtcdHeader?
    var ID: EtcdNumber
    var TTL: EtcdNumber
}

/// A message of a stream: `result` or `error`.
struct EtcdStreamed<Result: Decodable>: Decodable {
    var result: Result?
    var error: EtcdRefusal?
}

extension EtcdStreamed: EtcdReply where Result: EtcdReply {
    var header: EtcdHeader? { result?.header }
    var refusal: EtcdRefusal? { error }
}

/// `LeaseKeepAliveResponse`.
struct EtcdKeepAliveReply: EtcdReply {
    var header: EtcdHeader?
    /// Left out: the lease is over.
    var TTL: EtcdNumber?
}

/// An answer that nothing is read of.
struct EtcdNothing: EtcdReply {}

/// What a server says instead of an answer: a status of gRPC, also within a stream.
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
    var header: EtcdHeader?
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
