#if Web
    import Testing

    @testable import RepriseWeb

    @Suite struct PageFileTests {
        @Test func `a script is shortened, but keeps its strings and the ends of its statements`() {
            let source = """
                // Comment
                const a = [ "x  = y" ];

                /** Comment */
                let b = a + 1 - c
                if (b !== !a[0]) {
                  f(a,
                    b * 2);
                }
                if (a) { b = 1; }
                f();
                """
            let expected = """
                let a=["x  = y"];let b=a+1-c
                if(b!==!a[0]){f(a,b*2)}if(a){b=1}f();
                """
            #expect(PageFile.script(Array(source.utf8)) == Array(expected.utf8))
        }

        @Test func `the script of the page is smaller than 20,000 bytes`() throws {
            let script = try #require(PageFile.all.first { $0.path == "/page.js" })
            #expect(script.bytes.count < 20_000)
        }
    }
#endif
