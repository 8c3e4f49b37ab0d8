// sinew view: the page that it writes, by a small page in place of the viewer's.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli_run.h"

#define BEFORE "<p>before</p><script type=\"application/json\" id=\"model-data\">"
#define AFTER "</script><p>after</p>\n"

// What the page of a run holds, as JSON.
static json_t *data_of(const char *page) {
  char *text = read_all(page);
  assert_int_equal(strncmp(text, BEFORE, strlen(BEFORE)), 0);
  char *end = strstr(text, AFTER);
  assert_non_null(end);
  assert_string_equal(end, AFTER);
  *end = '\0';
  // Nothing in it can end the element or begin another.
  assert_null(strchr(text + strlen(BEFORE), '<'));
  json_error_t error;
  json_t *data = json_loads(text + strlen(BEFORE), 0, &error);
  assert_non_null(data);
  free(text);
  return data;
}

static int set_up(void **state) {
  (void)state;
  char viewer[1200];
  snprintf(viewer, sizeof viewer, "%s", write_all("viewer.html", BEFORE AFTER));
  return setenv("SINEW_VIEWER", viewer, 1);
}

static void a_page_holds_the_model(void **state) {
  (void)state;
  char page[1200], model[1200];
  snprintf(page, sizeof page, "%s", scratch("page.html"));
  snprintf(model, sizeof model, "%s",
           write_all("odd.urdf", "<robot name=\"&lt;/script>&lt;img src=x>\"><link name=\"a\"/>"
                                 "<!-- </script><script>alert(1)</script> --></robot>"));
  result got = RUN(W("view"), W(model), W("--out"), W(page), W("--no-open"));
  assert_int_equal(got.exit_code, 0);
  assert_string_equal(got.err, "");
  assert_non_null(strstr(got.out, page));
  release(&got);
  json_t *data = data_of(page);
  char *text = read_all(model);
  assert_string_equal(text_of(json_object_get(data, "model"), "text"), text);
  assert_string_equal(text_of(json_object_get(data, "model"), "name"),
                      strrchr(model, '/') ? strrchr(model, '/') + 1 : model);
  free(text);
  json_decref(data);
}

static void a_page_holds_the_name_of_a_scene(void **state) {
  (void)state;
  char page[1200];
  snprintf(page, sizeof page, "%s", scratch("scene.html"));
  result got = RUN(W("view"), W("double-y-25"), W("--out"), W(page), W("--no-open"));
  assert_int_equal(got.exit_code, 0);
  release(&got);
  json_t *data = data_of(page);
  assert_string_equal(text_of(data, "scene"), "double-y-25");
  assert_null(json_object_get(data, "model"));
  json_decref(data);
}

static void a_page_holds_a_motion(void **state) {
  (void)state;
  char page[1200];
  snprintf(page, sizeof page, "%s", scratch("motion.html"));
  result got = RUN(W("view"), W("models/humanoid.bvh"), W("--motion"), W("models/walk.bvh"),
                   W("--out"), W(page), W("--no-open"));
  assert_int_equal(got.exit_code, 0);
  release(&got);
  json_t *data = data_of(page);
  assert_string_equal(text_of(json_object_get(data, "motion"), "name"), "walk.bvh");
  json_decref(data);
  got = RUN(W("view"), W("models/arm7.urdf"), W("--floating-base"), W("--out"), W(page),
            W("--no-open"));
  assert_int_equal(got.exit_code, 0);
  release(&got);
  data = data_of(page);
  assert_true(json_is_true(json_object_get(json_object_get(data, "model"), "floatingBase")));
  json_decref(data);
}

// ---- Meshes ----

// Writes a file of the folder of robots, which the next run replaces.
static void put(const char *name, const char *bytes, size_t size) {
  char path[2400];
  snprintf(path, sizeof path, "%s/%s", scratch("robots"), name);
  for (char *slash = path + strlen(scratch("robots")); (slash = strchr(slash, '/'));
       *slash++ = '/') {
    *slash = '\0';
    (void)mkdir(path, 0777);
  }
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

// A URDF of the folder of robots with these mesh files.
static const char *put_robot(const char *name, const char *const *meshes) {
  static char path[1200], text[4096];
  size_t used = (size_t)snprintf(text, sizeof text, "<robot name=\"r\"><link name=\"a\">");
  for (; *meshes; ++meshes)
    used +=
        (size_t)snprintf(text + used, sizeof text - used,
                         "<visual><geometry><mesh filename=\"%s\"/></geometry></visual>", *meshes);
  snprintf(text + used, sizeof text - used, "</link></robot>");
  put(name, text, strlen(text));
  snprintf(path, sizeof path, "%s/%s", scratch("robots"), name);
  return path;
}

static json_t *page_of(const char *model, const char *option, const char *warning) {
  char page[1200];
  snprintf(page, sizeof page, "%s", scratch("meshes.html"));
  result got = RUN(W("view"), W(model), W("--out"), W(page), W("--no-open"), W(option));
  assert_int_equal(got.exit_code, 0);
  if (warning)
    assert_non_null(strstr(got.err, warning));
  else
    assert_string_equal(got.err, "");
  release(&got);
  return data_of(page);
}

// RFC 4648, section 10.
static const struct {
  const char *bytes, *base64;
} vectors[] = {{"", ""},
               {"f", "Zg=="},
               {"fo", "Zm8="},
               {"foo", "Zm9v"},
               {"foob", "Zm9vYg=="},
               {"fooba", "Zm9vYmE="},
               {"foobar", "Zm9vYmFy"}};

static void a_page_holds_meshes_by_their_names(void **state) {
  (void)state;
  char absolute[2400], url[2400], name[64];
  char *real = NULL;
  put("arm_description/meshes/zero.stl", "", 0);
  assert_non_null(real = realpath(scratch("robots"), NULL));
  snprintf(absolute, sizeof absolute, "%s/arm_description/meshes/v1.stl", real);
  snprintf(url, sizeof url, "file://%s/arm_description/meshes/v2.DAE", real);
  free(real);
  for (int i = 1; i < 7; ++i) {
    static const char *const endings[] = {"", "stl", "DAE", "obj", "glb", "gltf", "stl"};
    snprintf(name, sizeof name, "arm_description/meshes/v%d.%s", i, endings[i]);
    put(name, vectors[i].bytes, strlen(vectors[i].bytes));
  }
  put("hand_description/a b.stl", vectors[3].bytes, 3);
  put("arm_description/urdf/50%25.stl", "\xff\xfe\0", 3);
  put("arm_description/urdf/here.stl", vectors[1].bytes, 1);
  const char *const meshes[] = {"package://arm_description/meshes/zero.stl",
                                absolute,
                                url,
                                "../meshes/v3.obj",
                                "model://arm_description/meshes/v4.glb",
                                "package://other_name/meshes/v5.gltf",
                                "file://../meshes/v6.stl",
                                "package://hand_description/a%20b.stl",
                                "50%25.stl",
                                "here.stl",
                                NULL};
  static const char *const wanted[] = {
      "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy", "Zm9v", "//4A", "Zg=="};
  json_t *data = page_of(put_robot("arm_description/urdf/arm.urdf", meshes), NULL, NULL);
  const json_t *files = json_object_get(data, "files");
  assert_int_equal(json_object_size(files), 10);
  for (int i = 0; i < 10; ++i)
    assert_string_equal(text_of(files, meshes[i]), wanted[i]);
  json_decref(data);
}

static void meshes_that_are_not_found_are_named(void **state) {
  (void)state;
  // A page that is passed on must not hold other files of this machine.
  put("secret.txt", "secret", 6);
  put("secret.stl/x", "", 0);
  put("there.stl", vectors[1].bytes, 1);
  const char *const meshes[] = {"there.stl",
                                "secret.txt",
                                "secret.stl",
                                "/dev/zero",
                                "package:///there.stl",
                                "https://example.org/there.stl",
                                "&lt;/script>&lt;img src=x>&#x9b;.stl",
                                "none.stl",
                                NULL};
  const char *model = put_robot("odd.urdf", meshes);
  json_t *data = page_of(model, NULL, "odd.urdf: 7 of 8 mesh files are not found");
  assert_int_equal(json_object_size(json_object_get(data, "files")), 1);
  json_decref(data);
  const char *const many[] = {"1.stl", "2.stl", "3.stl", "4.stl", "5.stl",
                              "6.stl", "7.stl", "8.stl", "9.stl", NULL};
  json_decref(page_of(put_robot("many.urdf", many), NULL, "7.stl, 8.stl, ..."));
}

// A .glb whose JSON is this text, of which it says that it has so many bytes.
static void put_glb(const char *name, const char *json, size_t length) {
  char bytes[512] = "glTF\2";
  bytes[8] = (char)(20 + strlen(json));
  bytes[12] = (char)length;
  memcpy(bytes + 16, "JSON", 4);
  memcpy(bytes + 20, json, strlen(json));
  put(name, bytes, 20 + strlen(json));
}

static void a_page_holds_what_belongs_to_a_gltf(void **state) {
  (void)state;
  static const char arm[] =
      "{\"buffers\": [{\"uri\": \"a.bin\"}, {\"uri\": \"data:,a.bin\"}, {\"byteLength\": 3}],"
      " \"images\": [{\"uri\": \"../textures/the%20skin.PNG\"}, {\"bufferView\": 0}]}";
  static const char hand[] = "{\"buffers\": [{\"uri\": \"a.bin\"}], \"images\": "
                             "[{\"uri\": \"../meshes/../textures/the%20skin.PNG\"}]}";
  static const char glb[] = "{\"images\": [{\"uri\": \"here.webp\"}, {\"uri\": \"here.webp\"}]}";
  put("g/meshes/arm.gltf", arm, strlen(arm));
  put("g/meshes/a.bin", vectors[1].bytes, 1);
  put("g/hand/hand.gltf", hand, strlen(hand));
  put("g/hand/a.bin", vectors[2].bytes, 2);
  put("g/textures/the skin.PNG", vectors[3].bytes, 3);
  put_glb("g/base.glb", glb, strlen(glb));
  put("g/here.webp", vectors[4].bytes, 4);
  const char *const meshes[] = {"package://g/meshes/arm.gltf", "package://g/hand/hand.gltf",
                                "base.glb", NULL};
  json_t *data = page_of(put_robot("g/robot.urdf", meshes), NULL, NULL);
  const json_t *files = json_object_get(data, "files");
  assert_int_equal(json_object_size(files), 8);
  assert_string_equal(text_of(files, "package://g/meshes/a.bin"), "Zg==");
  assert_string_equal(text_of(files, "package://g/meshes/../textures/the%20skin.PNG"), "Zm9v");
  assert_string_equal(text_of(files, "package://g/hand/a.bin"), "Zm8=");
  assert_string_equal(text_of(files, "package://g/hand/../meshes/../textures/the%20skin.PNG"),
                      "Zm9v");
  assert_string_equal(text_of(files, "here.webp"), "Zm9vYg==");
  json_decref(data);
}

static void what_a_gltf_lacks_is_named(void **state) {
  (void)state;
  static const char json[] =
      "{\"buffers\": [{\"uri\": \"secret.txt\"}, {\"uri\": \"none.bin\"}, {\"uri\": 3}, 4],"
      " \"images\": [{\"uri\": \"/etc/x.png\"}, {\"uri\": \"https://example.org/x.png\"}]}";
  put("secret.txt", "secret", 6);
  put("lacking.gltf", json, strlen(json));
  put("broken.gltf", "{\"buffers\":", 11);
  put("array.gltf", "[3]", 3);
  put_glb("long.glb", "{\"images\": [{\"uri\": \"none.png\"}]}", 120);
  put("short.glb", "glTF\2", 5);
  const char *const meshes[] = {"lacking.gltf", "broken.gltf", "array.gltf",
                                "long.glb",     "short.glb",   NULL};
  json_t *data =
      page_of(put_robot("lacking.urdf", meshes), NULL,
              "lacking.urdf: 4 files that its glTF meshes name are not found, or are "
              "neither buffers (.bin) nor pictures (PNG, JPEG, WebP): secret.txt, none.bin");
  assert_int_equal(json_object_size(json_object_get(data, "files")), 5);
  json_decref(data);
}

static void meshes_can_be_left_out(void **state) {
  (void)state;
  put("there.stl", vectors[1].bytes, 1);
  const char *const meshes[] = {"there.stl", "none.stl", NULL};
  json_t *data = page_of(put_robot("plain.urdf", meshes), "--no-meshes", NULL);
  assert_null(json_object_get(data, "files"));
  json_decref(data);
}

// Files without blocks on the disk, which are refused before they are read.
static void meshes_have_a_limit(void **state) {
  (void)state;
  char page[1200], path[2400];
  snprintf(page, sizeof page, "%s", scratch("large.html"));
  (void)unlink(page);
  static const char *const meshes[] = {"a.stl", "b.stl", NULL};
  put("a.stl", "", 0);
  put("b.stl", vectors[1].bytes, 1);
  snprintf(path, sizeof path, "%s/a.stl", scratch("robots"));
  assert_int_equal(truncate(path, 64 << 20), 0);
  expect_refusal(RUN(W("view"), W(put_robot("large.urdf", meshes)), W("--out"), W(page)),
                 "large.urdf: its mesh files have more than 64 MiB", "--no-meshes");
  assert_null(fopen(page, "r"));
  assert_int_equal(truncate(path, 0), 0);
}

// ---- Bad input ----

static void wrong_input_is_refused(void **state) {
  (void)state;
  char page[1200], broken[1200];
  snprintf(page, sizeof page, "%s", scratch("none.html"));
  snprintf(broken, sizeof broken, "%s", write_all("broken.urdf", "<robot name=\"r\">\n<link/>"));
  expect_refusal(RUN(W("view"), W(broken), W("--out"), W(page)), "broken.urdf:2", "robot");
  expect_refusal(RUN(W("view"), W("models/arm7.urdf"), W("--motion"), W("models/walk.bvh"),
                     W("--out"), W(page)),
                 "walk.bvh", "joints or channels differ");
  expect_refusal(RUN(W("view"), W("models/walk.bvh"), W("--motion"), W("models/none.bvh"),
                     W("--out"), W(page)),
                 "none.bvh", "no such file");
  expect_refusal(RUN(W("view"), W("models/walk.bvh"), W("--out"), W("models/walk.bvh")),
                 "models/walk.bvh", "overwrite");
  assert_null(fopen(page, "r"));
}

static void without_a_viewer_it_says_how_to_get_it(void **state) {
  (void)state;
  setenv("SINEW_VIEWER", "none/viewer.html", 1);
  expect_refusal(RUN(W("view"), W("y"), W("--out"), W(scratch("y.html"))), "none/viewer.html",
                 "-DSINEW_BUILD_VIEWER=ON");
  setenv("SINEW_VIEWER", "LICENSE", 1);
  expect_refusal(RUN(W("view"), W("y"), W("--out"), W(scratch("y.html"))), "LICENSE",
                 "not the page of the viewer");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_page_holds_the_model),
      cmocka_unit_test(a_page_holds_the_name_of_a_scene),
      cmocka_unit_test(a_page_holds_a_motion),
      cmocka_unit_test(a_page_holds_meshes_by_their_names),
      cmocka_unit_test(meshes_that_are_not_found_are_named),
      cmocka_unit_test(a_page_holds_what_belongs_to_a_gltf),
      cmocka_unit_test(what_a_gltf_lacks_is_named),
      cmocka_unit_test(meshes_can_be_left_out),
      cmocka_unit_test(meshes_have_a_limit),
      cmocka_unit_test(wrong_input_is_refused),
      cmocka_unit_test(without_a_viewer_it_says_how_to_get_it),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
