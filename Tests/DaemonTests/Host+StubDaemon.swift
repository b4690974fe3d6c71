import DaemonHost
import FoundationEssentials
import Subprocess
import SystemPackage
import Varlink

/// Message with which a service replies to a call.
struct StubReply {
    /// Message as JSON.
    let text: String

    /// Creates the message with a reply.
    ///
    /// - Parameter continues: Whether more messages for the same call follow.
    init(_ reply: some JSONWritable, continues: Bool = false) throws {
        let parameters = String(decoding: try JSONText.write(reply), as: UTF8.self)
        text = #"{"parameters":\#(parameters),"continues":\#(continues)}"#
    }

    /// Creates the message with an error of the control interface.
    init(error: String, _ parameters: String) {
        text = #"{"error":"org.reprise.Control.\#(error)","parameters":\#(parameters)}"#
    }
}

extension Host {
    /// Service that replies to each call with the messages for its method, and records the calls.
    private static let service = """
        import json, os, socket, threading
        replies = json.load(open("replies"))
        def serve(client):
            pending = b""
            while data := client.recv(65536):
                *calls, pending = (pending + data).split(b"\\0")
                for call in calls:
                    with open("calls", "ab") as file:
                        file.write(call + b"\\n")
                    method = json.loads(call)["method"].split(".")[-1]
                    for reply in replies.get(method, []):
                        client.sendall(reply.encode() + b"\\0")
        service = socket.socket(socket.AF_UNIX)
        service.bind("binding")
        service.listen()
        os.rename("binding", "control")
        while True:
            client = service.accept()[0]
            threading.Thread(target=serve, args=(client,), daemon=True).start()
        """

    /// Runs a shell command while a service replies in place of the daemon. `$CTL` is the command-line client.
    ///
    /// - Parameter replies: Messages that answer a call, keyed by the name of the method.
    func runWithStub(
        _ replies: [String: [StubReply]], _ command: String,
        environment: [Environment.Key: String] = [:]
    ) async throws -> ProgramResult {
        try directory.appending("service.py").write(Self.service.utf8)
        let texts = replies.mapValues { $0.map(\.text) }
        try directory.appending("replies").write(try JSONEncoder().encode(texts))
        return try await shell(
            """
            rm -f control calls; python3 service.py 2>unserved & service=$!
            until [ -S control ]; do sleep 0.01; done
            \(command)
            status=$?; kill $service; exit $status
            """, environment: environment)
    }

    /// Calls that the service received.
    var stubCalls: [String] {
        get throws {
            try directory.appending("calls").text().split(separator: "\n").map(String.init)
        }
    }
}
