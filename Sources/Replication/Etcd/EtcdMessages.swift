import ExactText
import FoundationEssentials

// Messages of etcd's JSON gateway: `rpc.proto` and `kv.proto` of etcd 3.4, in the JSON mapping of proto3. The
// mapping encodes 64-bit numbers as strings and bytes as base64, and omits zero and empty values.

/// A 64-bit number, encoded as a string in JSON.
struct EtcdNumber: Codable, Sendable, Hashable, ExpressibleByIntegerLiteral {
    var value: Int64

    init(_ value: Int64) { self.value = value }
    init(integerLiteral value: Int64) { self.value = value }

    /// The number as a revision, limited to 0 through `Int64.max - 1`, because a broken server may send any number and
    /// callers compute the next revision.
    var revision: Int64 { min(max(value, 0), .max - 1) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let number = Int64(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a number")
        }
        value = number
    }

    func encode(to encoder: any Encoder) throws {
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
struct EtcdEntry: Decodable {
    var key: Data
    var value: Data?
    var create_revision: EtcdNumber?
    var mod_revision: EtcdNumber?
    var lease: EtcdNumber?
}

extension KeyEntry {
    init(_ entry: EtcdEntry) {
        self.init(
            key: String(decoding: entry.key, as: UTF8.self),
            value: entry.value.map { Array($0) } ?? [],
            createRevision: entry.create_revision?.revision ?? 0,
            modRevision: entry.mod_revision?.revision ?? 0, lease: entry.lease?.value ?? 0)
    }
}

/// `RangeRequest`.
struct EtcdRangeRequest: Encodable {
    var key: Data
    var range_end: Data?
    var limit: EtcdNumber?
    var revision: EtcdNumber?
    private var sort_order: String?
    private var sort_target: String?
    private var keys_only: Bool?

    init(_ range: KeyRange) {
        key = Data(range.start.utf8)
        range_end = range.end.map { Data($0.utf8) }
        limit = range.limit.map { EtcdNumber(Int64($0)) }
        revision = range.revision.map { EtcdNumber($0) }
    }

    /// Returns a request whose reply contains, of all keys with a prefix, only the one that was changed last.
    ///
    /// The reply contains no value. Its count is the number of all keys with the prefix.
    static func newestKey(below prefix: String) -> EtcdRangeRequest {
        var range = EtcdRangeRequest(KeyRange(prefix, to: prefix.endOfPrefix, limit: 1))
        (range.sort_order, range.sort_target, range.keys_only) = ("DESCEND", "MOD", true)
        return range
    }
}

/// `RangeResponse`.
struct EtcdRangeReply: EtcdReply {
    var header: EtcdHeader?
    var kvs: [EtcdEntry]?
    var more: Bool?
    var count: EtcdNumber?
}

extension RangeReply {
    init(_ reply: EtcdRangeReply) {
        self.init(
            entries: (reply.kvs ?? []).map { KeyEntry($0) }, hasMore: reply.more ?? false,
            storeRevision: reply.header?.revision?.revision ?? 0)
    }
}

extension KeySummary {
    /// Creates the summary of the keys from the reply to ``EtcdRangeRequest/newestKey(below:)``.
    init(_ reply: EtcdRangeReply) {
        self.init(
            count: reply.count?.value ?? 0, newest: reply.kvs?.first?.mod_revision?.revision ?? 0,
            storeRevision: reply.header?.revision?.revision ?? 0)
    }
}

/// `TxnRequest`.
struct EtcdTransactionRequest: Encodable {
    /// `Compare`.
    private struct Compare: Encodable {
        var key: Data
        var target: String
        var result = "EQUAL"
        var create_revision: EtcdNumber?
        var value: Data?

        init(_ condition: StoreCondition) {
            switch condition {
            case .createRevision(let key, let revision):
                self.key = Data(key.utf8)
                (target, create_revision) = ("CREATE", EtcdNumber(revision))
            case .exists(let key):
                self.key = Data(key.utf8)
                (target, result, create_revision) = ("CREATE", "GREATER", 0)
            case .value(let key, let value):
                self.key = Data(key.utf8)
                (target, self.value) = ("VALUE", Data(value))
            }
        }
    }

    /// `RequestOp`.
    private struct Operation: Encodable {
        struct Put: Encodable {
            var key: Data
            var value: Data
            var lease: EtcdNumber?
        }
        struct Deletion: Encodable {
            var key: Data
            var range_end: Data?
        }

        var request_put: Put?
        var request_delete_range: Deletion?
        var request_range: EtcdRangeRequest?

        init(_ operation: StoreOperation) {
            switch operation {
            case .put(let key, let value, let lease):
                request_put = Put(
                    key: Data(key.utf8), value: Data(value),
                    lease: lease == 0 ? nil : EtcdNumber(lease))
            case .delete(let key, let end):
                request_delete_range = Deletion(
                    key: Data(key.utf8), range_end: end.map { Data($0.utf8) })
            case .range(let range): request_range = EtcdRangeRequest(range)
            }
        }
    }

    private var compare: [Compare]
    private var success: [Operation]
    private var failure: [Operation]

    init(_ transaction: StoreTransaction) {
        compare = transaction.conditions.map { Compare($0) }
        success = transaction.success.map { Operation($0) }
        failure = transaction.failure.map { Operation($0) }
    }
}

/// `TxnResponse`.
struct EtcdTransactionReply: EtcdReply {
    struct Operation: Decodable {
        var response_range: EtcdRangeReply?
    }

    var header: EtcdHeader?
    var succeeded: Bool?
    var responses: [Operation]?
}

extension TransactionReply {
    init(_ reply: EtcdTransactionReply) {
        self.init(
            succeeded: reply.succeeded ?? false,
            entries: (reply.responses ?? []).flatMap {
                ($0.response_range?.kvs ?? []).map { KeyEntry($0) }
            },
            storeRevision: reply.header?.revision?.revision ?? 0)
    }
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
}

/// `LeaseTimeToLiveResponse`. `TTL` is -1 if the lease has expired.
struct EtcdLeaseTimes: EtcdReply {
    private enum CodingKeys: CodingKey { case TTL, grantedTTL }

    var TTL: EtcdNumber
    var grantedTTL: EtcdNumber?

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        // etcd omits a number that is 0.
        TTL = try values.decodeIfPresent(EtcdNumber.self, forKey: .TTL) ?? EtcdNumber(0)
        grantedTTL = try values.decodeIfPresent(EtcdNumber.self, forKey: .grantedTTL)
    }
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

/// `StatusRequest`.
struct EtcdStatusRequest: Encodable {}

/// `StatusResponse`.
struct EtcdStatusReply: EtcdReply {
    struct Header: Decodable {
        /// Identifier of the server, an unsigned number.
        var member_id: String?
    }
    var header: Header?
    var version: String?
    var dbSize: EtcdNumber?
    /// Identifier of the leader, or `nil` if the server knows no leader.
    var leader: String?
    var errors: [String]?
}
