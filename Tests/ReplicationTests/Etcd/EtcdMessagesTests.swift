#if Etcd
    import ExactText
    import FoundationEssentials
    import Testing

    @testable import Replication

    /// Tests of the JSON of etcd's gateway.
    ///
    /// In base64, the text `a` is `YQ==`, `b` is `Yg==`, and the value 7 is `Bw==`.
    @Suite struct EtcdMessagesTests {
        private func json(_ value: some Encodable) throws -> String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        }

        private func json(_ request: EtcdTransactionRequest) -> String {
            String(decoding: request.json, as: UTF8.self)
        }

        private func decoded<Reply: Decodable>(_ text: String) throws -> Reply {
            try JSONDecoder().decode(Reply.self, from: Data(text.utf8))
        }

        @Test(arguments: [
            (KeyRange("a"), #"{"key":"YQ=="}"#),
            (KeyRange("a", to: "b"), #"{"key":"YQ==","range_end":"Yg=="}"#),
            (
                KeyRange("a", to: "b", limit: 3, revision: 4),
                #"{"key":"YQ==","limit":"3","range_end":"Yg==","revision":"4"}"#
            ),
        ])
        func `a range request contains its end, limit and revision`(
            range: KeyRange, expected: String
        ) throws {
            #expect(try json(EtcdRangeRequest(range)) == expected)
        }

        @Test func `the request for the newest key asks for no value`() throws {
            #expect(
                try json(EtcdRangeRequest.newestKey(below: "a"))
                    == #"{"key":"YQ==","keys_only":true,"limit":"1","range_end":"Yg==","#
                    + #""sort_order":"DESCEND","sort_target":"MOD"}"#)
        }

        @Test(arguments: [
            (
                StoreCondition.createRevision(of: "a", is: 5),
                #"{"create_revision":"5","key":"YQ==","result":"EQUAL","target":"CREATE"}"#
            ),
            (
                .modRevision(of: "a", is: 5),
                #"{"key":"YQ==","mod_revision":"5","result":"EQUAL","target":"MOD"}"#
            ),
            (
                .exists("a"),
                #"{"create_revision":"0","key":"YQ==","result":"GREATER","target":"CREATE"}"#
            ),
            (
                .value(of: "a", is: [7]),
                #"{"key":"YQ==","result":"EQUAL","target":"VALUE","value":"Bw=="}"#
            ),
        ])
        func `each condition of a transaction is encoded`(
            condition: StoreCondition, expected: String
        ) throws {
            let transaction = StoreTransaction(if: [condition], then: [])
            #expect(
                json(EtcdTransactionRequest(transaction))
                    == #"{"compare":[\#(expected)],"failure":[],"success":[]}"#)
        }

        @Test(arguments: [
            (StoreOperation.put("a", [7]), #"{"request_put":{"key":"YQ==","value":"Bw=="}}"#),
            (
                .put("a", [7], lease: 9),
                #"{"request_put":{"key":"YQ==","lease":"9","value":"Bw=="}}"#
            ),
            (.delete("a"), #"{"request_delete_range":{"key":"YQ=="}}"#),
            (
                .delete("a", to: "b"),
                #"{"request_delete_range":{"key":"YQ==","range_end":"Yg=="}}"#
            ),
            (.range(KeyRange("a")), #"{"request_range":{"key":"YQ=="}}"#),
            (
                .range(KeyRange("a", to: "b", limit: 3, revision: 4)),
                #"{"request_range":{"key":"YQ==","limit":"3","range_end":"Yg==","revision":"4"}}"#
            ),
        ])
        func `each operation of a transaction is encoded in its list`(
            operation: StoreOperation, expected: String
        ) throws {
            let other = #"{"request_delete_range":{"key":"Yg=="}}"#
            #expect(
                json(
                    EtcdTransactionRequest(
                        StoreTransaction(
                            if: [], then: [operation, .delete("b")],
                            otherwise: [.delete("b"), operation])))
                    == #"{"compare":[],"failure":[\#(other),\#(expected)],"success":[\#(expected),\#(other)]}"#
            )
        }

        @Test func `the entries of all operations of a transaction are decoded in order`() throws {
            let reply = TransactionReply(
                try decoded(
                    """
                    {"header":{"revision":"8"},"succeeded":true,"responses":[
                     {"response_range":{"kvs":[{"key":"YQ==","value":"Bw==","create_revision":"1",
                      "mod_revision":"2","lease":"3"},{"key":"Yg=="}]}},{},
                     {"response_range":{"kvs":[{"key":"YQ=="}]}}]}
                    """))
            #expect(reply.succeeded)
            #expect(reply.storeRevision == 8)
            #expect(
                reply.entries == [
                    KeyEntry(key: "a", value: [7], createRevision: 1, modRevision: 2, lease: 3),
                    KeyEntry(key: "b", value: [], createRevision: 0, modRevision: 0),
                    KeyEntry(key: "a", value: [], createRevision: 0, modRevision: 0),
                ])
            let empty = TransactionReply(try decoded("{}"))
            #expect(!empty.succeeded && empty.entries.isEmpty && empty.storeRevision == 0)
        }

        @Test func `keys and values of any bytes and length are encoded in base64`() throws {
            let bytes = Array(UInt8.min...UInt8.max)
            for length in [0, 1, 2, 3, 4, 255, 256] {
                let value = Array(bytes.suffix(length))
                let transaction = StoreTransaction(if: [], then: [.put("ä/b", value)])
                #expect(
                    json(EtcdTransactionRequest(transaction)).contains(
                        #""key":"w6QvYg==","value":"\#(Data(value).base64EncodedString())""#))
            }
        }

        /// Successful reply of etcd 3.4 to a transaction with two puts.
        private static let success = """
            {"header":{"cluster_id":"1046498493051022180","member_id":"6016556745177796999","revision":"42",\
            "raft_term":"2"},"succeeded":true,"responses":[{"response_put":{"header":{"revision":"42"}}},\
            {"response_put":{"header":{"revision":"42"}}}]}
            """

        @Test func `the fast decoder reads the reply to a successful put`() throws {
            let reply = try #require(EtcdTransactionReply(commonForm: Array(Self.success.utf8)))
            let general: EtcdTransactionReply = try decoded(Self.success)
            for reply in [TransactionReply(reply), TransactionReply(general)] {
                #expect(reply.succeeded && reply.entries.isEmpty && reply.storeRevision == 42)
            }
        }

        @Test func `the fast decoder leaves every other reply to the general decoder`() {
            let text = Self.success
            let others = [
                "", "{}", text + " ", String(text.dropLast()),
                text.replacing("true", with: "false"),
                text.replacing("response_put", with: "response_range"),
                text.replacing(#""revision":"42","#, with: ""),
                text.replacing("\"42\"", with: "\"9223372036854775808\""),
                text.replacing("\"42\"", with: "\"\""),
                text.replacing("\"42\"", with: "\"4 2\""),
                text.replacing(#""succeeded":true,"#, with: ""),
                text.replacing(":", with: ": "),
            ]
            for other in others {
                #expect(EtcdTransactionReply(commonForm: Array(other.utf8)) == nil, "\(other)")
            }
            for length in text.utf8.indices {
                let other = Array(text.utf8[..<length])
                #expect(EtcdTransactionReply(commonForm: other) == nil)
            }
        }

        @Test func `missing fields of a reply have the value 0`() throws {
            let range = RangeReply(try decoded("{}"))
            #expect(range.entries.isEmpty && !range.hasMore && range.storeRevision == 0)
            #expect(RangeReply(try decoded(#"{"more":true}"#)).hasMore)
            #expect(
                KeySummary(try decoded("{}"))
                    == KeySummary(count: 0, newestRevision: 0, storeRevision: 0))
            #expect(
                KeySummary(
                    try decoded(
                        #"{"header":{"revision":"3"},"count":"2","kvs":[{"key":"YQ==","mod_revision":"1"}]}"#
                    ))
                    == KeySummary(count: 2, newestRevision: 1, storeRevision: 3))
            let times: EtcdTimeToLiveReply = try decoded("{}")
            #expect(times.TTL == 0 && times.grantedTTL == nil)
        }

        @Test func `a number that is not a string of digits is refused`() {
            for text in [#""x""#, #""9223372036854775808""#, "1"] {
                #expect(throws: DecodingError.self) {
                    let _: EtcdNumber = try decoded(text)
                }
            }
        }

        @Test(
            arguments: [
                (7, 7), (0, 0), (-1, 0), (.min, 0), (.max - 1, .max - 1), (.max, .max - 1),
            ] as [(Int64, Int64)])
        func `a revision is clamped to the range that has a successor`(
            number: Int64, revision: Int64
        ) {
            #expect(EtcdNumber(number).revision == revision)
        }
    }
#endif
