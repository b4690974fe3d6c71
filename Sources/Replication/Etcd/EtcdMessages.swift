import ExactText
import FoundationEssentials

// Messages for etcd's JSON gateway, from `rpc.proto` and `kv.proto` in etcd 3.4. They use the JSON mapping of proto3,
// which encodes 64-bit numbers as strings and bytes as base64, and omits zero and empty values.

/// 64-bit number encoded as a JSON string.
struct EtcdNumber: Codable, Sendable, Hashable, ExpressibleByIntegerLiteral {
    var value: Int64

    init(_ value: Int64) { self.value = value }
    init(integerLiteral value: Int64) { self.value = value }

    /// The number as a revision, limited to the range from 0 to `Int64.max - 1`.
    ///
    /// The range is limited because a faulty server may send any number, and callers add 1 to a revision.
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

/// Reply from etcd.
protocol EtcdReply: Decodable {
    /// Error that the server sent in a stream instead of a reply, or `nil` if there was none.
    var failure: EtcdFailure? { get }

    /// Parses the most common form of the reply without `JSONDecoder`, or returns `nil` for any other form.
    init?(commonForm json: [UInt8])
}

extension EtcdReply {
    var failure: EtcdFailure? { nil }

    init?(commonForm json: [UInt8]) { nil }
}

/// etcd's `KeyValue` message.
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

/// etcd's `RangeRequest` message.
struct EtcdRangeRequest: Encodable {
    var key: Data
    var range_end: Data?
    var limit: EtcdNumber?
    var revision: EtcdNumber?
    private var sort_order: String?
    private var sort_target: String?
    private var keys_only: Bool?

    init(_ range: KeyRange) {
        key = Data(range.startKey.utf8)
        range_end = range.endKey.map { Data($0.utf8) }
        limit = range.limit.map { EtcdNumber(Int64($0)) }
        revision = range.revision.map { EtcdNumber($0) }
    }

    /// Returns a request for the most recently changed key with a prefix.
    ///
    /// The reply contains no value, and its count is the number of all keys with the prefix.
    static func newestKey(below prefix: String) -> EtcdRangeRequest {
        var range = EtcdRangeRequest(KeyRange(prefix, to: prefix.endOfPrefix, limit: 1))
        (range.sort_order, range.sort_target, range.keys_only) = ("DESCEND", "MOD", true)
        return range
    }
}

/// etcd's `RangeResponse` message.
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
    /// Creates a summary from the reply to ``EtcdRangeRequest/newestKey(below:)``.
    init(_ reply: EtcdRangeReply) {
        self.init(
            count: reply.count?.value ?? 0,
            newestRevision: reply.kvs?.first?.mod_revision?.revision ?? 0,
            storeRevision: reply.header?.revision?.revision ?? 0)
    }
}

/// etcd's `TxnRequest` message.
///
/// The message is encoded without `JSONEncoder`, which would take several times as long for each replicated change.
struct EtcdTransactionRequest {
    /// The request, encoded as JSON.
    private(set) var json: [UInt8] = []

    init(_ transaction: StoreTransaction) {
        json.reserveCapacity(4096)
        append("{\"compare\":[")
        appendList(transaction.conditions) { $0.append($1) }
        append("],\"failure\":[")
        appendList(transaction.failureOperations) { $0.append($1) }
        append("],\"success\":[")
        appendList(transaction.successOperations) { $0.append($1) }
        append("]}")
    }

    /// Appends etcd's `Compare` message.
    private mutating func append(_ condition: StoreCondition) {
        switch condition {
        case .createRevision(let key, let revision):
            append("{\"create_revision\":\"\(revision)\",\"key\":\"")
            append(base64: key.utf8)
            append("\",\"result\":\"EQUAL\",\"target\":\"CREATE\"}")
        case .modRevision(let key, let revision):
            append("{\"key\":\"")
            append(base64: key.utf8)
            append("\",\"mod_revision\":\"\(revision)\",\"result\":\"EQUAL\",\"target\":\"MOD\"}")
        case .exists(let key):
            append("{\"create_revision\":\"0\",\"key\":\"")
            append(base64: key.utf8)
            append("\",\"result\":\"GREATER\",\"target\":\"CREATE\"}")
        case .value(let key, let value):
            append("{\"key\":\"")
            append(base64: key.utf8)
            append("\",\"result\":\"EQUAL\",\"target\":\"VALUE\",\"value\":\"")
            append(base64: value)
            append("\"}")
        }
    }

    /// Appends etcd's `RequestOp` message.
    private mutating func append(_ operation: StoreOperation) {
        switch operation {
        case .put(let key, let value, let lease):
            append("{\"request_put\":{\"key\":\"")
            append(base64: key.utf8)
            if lease != 0 { append("\",\"lease\":\"\(lease)") }
            append("\",\"value\":\"")
            append(base64: value)
        case .delete(let key, let end):
            append("{\"request_delete_range\":{\"key\":\"")
            append(base64: key.utf8)
            appendRangeEnd(end)
        case .range(let range):
            append("{\"request_range\":{\"key\":\"")
            append(base64: range.startKey.utf8)
            if let limit = range.limit { append("\",\"limit\":\"\(limit)") }
            appendRangeEnd(range.endKey)
            if let revision = range.revision { append("\",\"revision\":\"\(revision)") }
        }
        append("\"}}")
    }

    private mutating func appendRangeEnd(_ rangeEnd: String?) {
        guard let rangeEnd else { return }
        append("\",\"range_end\":\"")
        append(base64: rangeEnd.utf8)
    }

    private mutating func appendList<Element>(
        _ elements: [Element], _ append: (inout Self, Element) -> Void
    ) {
        for (index, element) in elements.enumerated() {
            if index > 0 { self.append(",") }
            append(&self, element)
        }
    }

    private mutating func append(_ text: String) { json += text.utf8 }

    private mutating func append(base64 bytes: some Collection<UInt8>) {
        json += Data(bytes).base64EncodedData()
    }
}

/// etcd's `TxnResponse` message.
struct EtcdTransactionReply: EtcdReply {
    struct Operation: Decodable {
        var response_range: EtcdRangeReply?
    }

    var header: EtcdHeader?
    var succeeded: Bool?
    var responses: [Operation]?
}

extension EtcdTransactionReply {
    /// Parses the reply to a successful transaction that contains only put operations, or returns `nil` if the reply
    /// does not have exactly the form that etcd writes.
    ///
    /// `JSONDecoder` would take several times as long for each replicated change.
    init?(commonForm json: [UInt8]) {
        var remainingBytes = json[...]
        func skip(_ text: StaticString) -> Bool {
            let isTextNext = text.withUTF8Buffer { remainingBytes.starts(with: $0) }
            if isTextNext { remainingBytes = remainingBytes.dropFirst(text.utf8CodeUnitCount) }
            return isTextNext
        }
        func parseNumber() -> Int64? {
            let digits = remainingBytes.prefix { (0x30...0x39).contains($0) }
            remainingBytes = remainingBytes.dropFirst(digits.count)
            return skip("\"") ? Int64(String(decoding: digits, as: UTF8.self)) : nil
        }
        func skipNumber() -> Bool {
            remainingBytes = remainingBytes.drop { (0x30...0x39).contains($0) }
            return skip("\"")
        }
        guard skip("{\"header\":{\"cluster_id\":\""), skipNumber(),
            skip(",\"member_id\":\""), skipNumber(), skip(",\"revision\":\""),
            let revision = parseNumber(), skip(",\"raft_term\":\""), skipNumber(),
            skip("},\"succeeded\":true,\"responses\":[")
        else { return nil }
        repeat {
            guard skip("{\"response_put\":{\"header\":{\"revision\":\""), skipNumber(), skip("}}}")
            else { return nil }
        } while skip(",")
        guard skip("]}"), remainingBytes.isEmpty else { return nil }
        self.init(header: EtcdHeader(revision: EtcdNumber(revision)), succeeded: true)
    }
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

/// etcd's `LeaseGrantRequest` message.
struct EtcdLeaseGrantRequest: Encodable {
    var TTL: EtcdNumber
}

/// etcd's `LeaseKeepAliveRequest` and `LeaseRevokeRequest` messages.
struct EtcdLeaseRequest: Encodable {
    var ID: EtcdNumber
}

/// etcd's `LeaseGrantResponse` message.
struct EtcdLeaseGrantReply: EtcdReply {
    var ID: EtcdNumber
}

/// etcd's `LeaseTimeToLiveResponse` message.
///
/// `TTL` is -1 if the lease has expired.
struct EtcdTimeToLiveReply: EtcdReply {
    private enum CodingKeys: CodingKey { case TTL, grantedTTL }

    var TTL: EtcdNumber
    var grantedTTL: EtcdNumber?

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        // etcd omits numbers that are 0.
        TTL = try values.decodeIfPresent(EtcdNumber.self, forKey: .TTL) ?? EtcdNumber(0)
        grantedTTL = try values.decodeIfPresent(EtcdNumber.self, forKey: .grantedTTL)
    }
}

/// Message in a stream. It contains either a `result` or an `error`.
struct EtcdStreamMessage<Result: Decodable>: Decodable {
    var result: Result?
    var error: EtcdFailure?
}

extension EtcdStreamMessage: EtcdReply {
    var failure: EtcdFailure? { error }
}

/// etcd's `LeaseKeepAliveResponse` message.
struct EtcdKeepAliveReply: Decodable {
    /// Remaining time in seconds, or `nil` if the lease has expired.
    var TTL: EtcdNumber?
}

/// Reply whose contents are ignored.
struct EtcdIgnoredReply: EtcdReply {}

/// Error with a gRPC status. A server sends it in a stream or instead of a reply.
struct EtcdFailure: Decodable {
    var error: String?
    var message: String?
    var code: Int?
    var grpc_code: Int?
}

/// etcd's `WatchRequest` message.
struct EtcdWatchRequest: Encodable {
    struct Create: Encodable {
        var key: Data
        var range_end: Data
        var start_revision: EtcdNumber
    }
    var create_request: Create
}

/// etcd's `WatchResponse` message.
struct EtcdWatchReply: Decodable {
    struct Event: Decodable {
        var type: String?
        var kv: EtcdEntry
    }
    var canceled: Bool?
    var cancel_reason: String?
    var events: [Event]?
}

/// etcd's `AuthenticateRequest` message.
struct EtcdAuthenticationRequest: Encodable {
    var name: String
    var password: String
}

/// etcd's `AuthenticateResponse` message.
struct EtcdAuthenticationReply: EtcdReply {
    var token: String
}

/// etcd's `StatusRequest` message.
struct EtcdStatusRequest: Encodable {}

/// etcd's `StatusResponse` message.
struct EtcdStatusReply: EtcdReply {
    struct Header: Decodable {
        /// Server identifier, an unsigned integer as a string.
        var member_id: String?
    }
    var header: Header?
    var version: String?
    var dbSize: EtcdNumber?
    /// Identifier of the leader, or `nil` if the server knows of no leader.
    var leader: String?
    var errors: [String]?
}
