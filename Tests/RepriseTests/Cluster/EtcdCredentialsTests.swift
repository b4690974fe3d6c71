#if Etcd
    import ExactText
    import Replication
    import TestSupport
    import Testing

    @testable import Reprise

    @Suite struct EtcdCredentialsTests {
        @Test func `only the credentials that the service manager passes are used`() throws {
            let scratch = try ScratchDirectory()
            let none = try EtcdCredentials(in: scratch.path, authorityPath: "/ca.crt")
            #expect(none.user == nil)
            #expect(none.security.authorityPath == "/ca.crt")
            #expect(none.security.certificatePath == nil && none.security.keyPath == nil)
            try scratch.write("etcd.user", "name\n")
            try scratch.write("etcd.crt", "")
            let partial = try EtcdCredentials(in: scratch.path, authorityPath: nil)
            #expect(partial.user == nil)
            #expect(partial.security.authorityPath == nil)
            #expect(partial.security.certificatePath == scratch.file("etcd.crt"))
            #expect(partial.security.keyPath == nil)
            try scratch.write("etcd.password", "secret ")
            try scratch.write("etcd.key", "")
            let complete = try EtcdCredentials(in: scratch.path, authorityPath: nil)
            #expect(complete.user?.name == "name")
            #expect(complete.user?.password == "secret ")
            #expect(complete.security.keyPath == scratch.file("etcd.key"))
        }
    }
#endif
